# SPDX-License-Identifier: Apache-2.0
"""How much to test: SLUICE_PROPERTY_EXAMPLES multiplies every number of examples."""

import os

SCALE = float(os.environ.get("SLUICE_PROPERTY_EXAMPLES", "1"))
TEST_SECONDS_MAX = 120 * max(1, SCALE)
