/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/dictionaries.h - one dictionary per column for all streams of a data set
 *
 * Every row group of a Parquet file has dictionaries of its own.  A stream maps the indices of its
 * row groups to one dictionary that all streams share: the exchange then has nothing to unify, and
 * a writer meets the same dictionary in every batch and can store it as it is.
 */
#ifndef SLUICE_IO_DICTIONARIES_H
#define SLUICE_IO_DICTIONARIES_H

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "sluice/io.h"

namespace sluice_io {

/*
 * The dictionary of one column.  It grows only when a file breaks the word of its footer; values
 * keep their places, so that every earlier state is a prefix of every later one.
 */
class column_dictionary {
public:
    explicit column_dictionary(bool is_text);

    /* Dictionary with int32 indices over utf8 or binary. */
    const std::shared_ptr<arrow::DataType> &type() const { return type_; }

    /* Add the values that are new.  Any thread. */
    arrow::Status add(const std::vector<std::string_view> &values);

    /* The same column over the shared dictionary.  Any thread. */
    arrow::Result<std::shared_ptr<arrow::Array>> translate(const arrow::DictionaryArray &column);

    size_t value_count() const { return places_.size(); }
    size_t value_bytes() const { return value_bytes_; }

private:
    arrow::Result<int32_t> place_of(std::string_view value);
    arrow::Status rebuild();

    std::shared_ptr<arrow::DataType> type_;
    std::mutex mutex_; /* Protects what follows. */
    std::unordered_map<std::string, int32_t> places_;
    std::vector<std::string_view> values_; /* Into the keys of places_. */
    size_t value_bytes_ = 0;
    std::shared_ptr<arrow::Array> array_; /* Of the first array_->length() values. */
};

/* By column name. */
class dictionary_set {
public:
    /* Null when the column is not read as a dictionary. */
    std::shared_ptr<column_dictionary> find(const std::string &name) const;

    std::unordered_map<std::string, std::shared_ptr<column_dictionary>> columns;
};

} /* namespace sluice_io */

struct sluice_dictionaries {
    std::shared_ptr<const sluice_io::dictionary_set> set;
};

#endif /* SLUICE_IO_DICTIONARIES_H */
