/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/dictionaries.cc - choose the columns to read as dictionaries, and unite their dictionaries
 *
 * A column is chosen when every row group of every file says in its footer that all data pages of
 * the column hold indices, and when all its dictionaries together are small.  The second is found
 * by reading the dictionary pages, which is a few kilobytes for each row group.
 */
#include "dictionaries.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/util/checked_cast.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include "guard.h"
#include "memory.h"
#include "source_parquet.h"
#include "types.h"

namespace sluice_io {

namespace {

/* All dictionaries of a column together.  Each output file may hold a copy, so they are small. */
constexpr size_t DICTIONARY_VALUES_MAX = 4096;
constexpr size_t DICTIONARY_BYTES_MAX = 128 << 10;

using name_set = std::set<std::string>;

/* Do all data pages of a column chunk hold indices of a small dictionary, by the footer's word? */
bool has_small_dictionary(const parquet::ColumnChunkMetaData &chunk)
{
    bool has_data_pages = false;

    if (chunk.type() != parquet::Type::BYTE_ARRAY || !chunk.has_dictionary_page())
        return false;
    for (const auto &pages : chunk.encoding_stats()) {
        if (pages.page_type == parquet::PageType::DICTIONARY_PAGE || pages.count == 0)
            continue;
        if (pages.encoding != parquet::Encoding::RLE_DICTIONARY &&
            pages.encoding != parquet::Encoding::PLAIN_DICTIONARY)
            return false;
        has_data_pages = true;
    }
    const int64_t dictionary_bytes = chunk.data_page_offset() - chunk.dictionary_page_offset();
    return has_data_pages && dictionary_bytes > 0 &&
           dictionary_bytes <= static_cast<int64_t>(DICTIONARY_BYTES_MAX);
}

/* The names of the columns of one file that may be chosen. */
name_set find_candidates(const parquet_source &source)
{
    name_set names;
    name_set seen;

    for (int column = 0; column < source.schema->num_fields(); column++) {
        const auto &field = *source.schema->field(column);
        const auto type = field.type()->id();
        if (!seen.insert(field.name()).second)
            names.erase(field.name()); /* Two columns of one name. */
        else if (is_text_type(type) || is_binary_type(type))
            names.insert(field.name());
    }
    for (int index = 0; index < source.metadata->num_row_groups() && !names.empty(); index++) {
        const auto row_group = source.metadata->RowGroup(index);
        for (int column = 0; column < source.schema->num_fields(); column++) {
            const auto chunk =
                row_group->ColumnChunk(source.leaves[static_cast<size_t>(column)].front());
            if (row_group->num_rows() > 0 && !has_small_dictionary(*chunk))
                names.erase(source.schema->field(column)->name());
        }
    }
    return names;
}

/* Cut a PLAIN dictionary page of byte arrays into its values. */
arrow::Status parse_page(const parquet::DictionaryPage &page,
                         std::vector<std::string_view> *values)
{
    const char *next = reinterpret_cast<const char *>(page.data());
    size_t bytes = static_cast<size_t>(std::max(page.size(), 0));

    values->clear();
    for (int32_t value = 0; value < page.num_values(); value++) {
        uint32_t length;
        if (bytes < sizeof(length))
            return fail(SLUICE_BAD_DATA, "the dictionary page is cut short");
        memcpy(&length, next, sizeof(length));
        if (length > bytes - sizeof(length))
            return fail(SLUICE_BAD_DATA, "a dictionary value has " + std::to_string(length) +
                                             " bytes, the page has " +
                                             std::to_string(bytes - sizeof(length)) + " left");
        values->emplace_back(next + sizeof(length), length);
        next += sizeof(length) + length;
        bytes -= sizeof(length) + length;
    }
    return arrow::Status::OK();
}

/* Add the dictionaries of one column of one file.  False: they are too large together. */
arrow::Result<bool> add_column(const parquet_source &source, parquet::ParquetFileReader *reader,
                               int column, column_dictionary *dictionary)
{
    const int leaf = source.leaves[static_cast<size_t>(column)].front();
    std::vector<std::string_view> values;

    for (int index = 0; index < source.metadata->num_row_groups(); index++) {
        if (source.metadata->RowGroup(index)->num_rows() == 0)
            continue;
        const auto pages = reader->RowGroup(index)->GetColumnPageReader(leaf);
        const auto page = pages->NextPage();
        if (page == nullptr || page->type() != parquet::PageType::DICTIONARY_PAGE)
            return false;
        const auto status = parse_page(static_cast<const parquet::DictionaryPage &>(*page),
                                       &values);
        ARROW_RETURN_NOT_OK(add_context(status, source.name_row_group(index) + ": column '" +
                                                    source.schema->field(column)->name() + "'"));
        ARROW_RETURN_NOT_OK(dictionary->add(values));
        if (dictionary->value_count() > DICTIONARY_VALUES_MAX ||
            dictionary->value_bytes() > DICTIONARY_BYTES_MAX)
            return false;
    }
    return true;
}

/* Add the dictionaries of one file to the set; columns that cannot be read so leave it. */
arrow::Status add_source(const parquet_source &source, dictionary_set *set)
{
    ARROW_ASSIGN_OR_RAISE(auto file, reopen_file(source.identity));
    const auto reader = parquet::ParquetFileReader::Open(file, parquet_reader_properties(true),
                                                         source.metadata);

    for (int column = 0; column < source.schema->num_fields(); column++) {
        const auto &field = *source.schema->field(column);
        const auto found = set->columns.find(field.name());
        if (found == set->columns.end())
            continue;
        /* A page that cannot be read is found again, and reported, by whoever reads the data. */
        bool is_usable = false;
        const auto status = catch_all([&]() -> arrow::Status {
            ARROW_ASSIGN_OR_RAISE(
                is_usable, add_column(source, reader.get(), column, found->second.get()));
            return arrow::Status::OK();
        });
        if (status.IsOutOfMemory())
            return status;
        if (!status.ok() || !is_usable)
            set->columns.erase(found);
    }
    return arrow::Status::OK();
}

/* The candidates that all sources share, with empty dictionaries. */
void choose_columns(const std::vector<const parquet_source *> &sources, const name_set *allowed,
                    dictionary_set *set)
{
    name_set names = find_candidates(*sources.front());

    for (size_t index = 1; index < sources.size() && !names.empty(); index++) {
        const name_set others = find_candidates(*sources[index]);
        name_set both;
        std::set_intersection(names.begin(), names.end(), others.begin(), others.end(),
                              std::inserter(both, both.begin()));
        names.swap(both);
    }
    for (const auto &name : names) {
        if (allowed != nullptr && allowed->count(name) == 0)
            continue;
        bool is_text = is_text_type(sources.front()->schema->GetFieldByName(name)->type()->id());
        bool is_same = true;
        for (const auto *source : sources)
            is_same = is_same &&
                      is_text_type(source->schema->GetFieldByName(name)->type()->id()) == is_text;
        if (is_same)
            set->columns.emplace(name, std::make_shared<column_dictionary>(is_text));
    }
}

arrow::Result<std::shared_ptr<const dictionary_set>>
make_set(const sluice_source *const *sources, size_t source_count, const name_set *allowed)
{
    auto set = std::make_shared<dictionary_set>();
    std::vector<const parquet_source *> files;

    for (size_t index = 0; index < source_count; index++) {
        const auto *file = dynamic_cast<const parquet_source *>(sources[index]->file.get());
        if (file == nullptr)
            return set;
        files.push_back(file);
    }
    if (files.empty())
        return set;
    choose_columns(files, allowed, set.get());
    for (const auto *file : files) {
        if (set->columns.empty())
            break;
        ARROW_RETURN_NOT_OK(add_source(*file, set.get()));
    }
    return set;
}

} /* namespace */

column_dictionary::column_dictionary(bool is_text)
    : type_(arrow::dictionary(arrow::int32(), is_text ? arrow::utf8() : arrow::binary()))
{
}

/* With the mutex held. */
arrow::Result<int32_t> column_dictionary::place_of(std::string_view value)
{
    if (values_.size() >= static_cast<size_t>(INT32_MAX) ||
        value_bytes_ + value.size() > static_cast<size_t>(INT32_MAX))
        return fail(SLUICE_BAD_DATA, "the dictionary has more than 2^31 - 1 values or bytes");
    const auto [place, is_new] =
        places_.emplace(std::string(value), static_cast<int32_t>(values_.size()));
    if (is_new) {
        values_.emplace_back(place->first);
        value_bytes_ += value.size();
    }
    return place->second;
}

/* With the mutex held. */
arrow::Status column_dictionary::rebuild()
{
    const auto &value_type =
        arrow::internal::checked_cast<const arrow::DictionaryType &>(*type_).value_type();
    arrow::BinaryBuilder builder(value_type, memory_pool());

    if (array_ != nullptr && array_->length() == static_cast<int64_t>(values_.size()))
        return arrow::Status::OK();
    for (const auto &value : values_)
        ARROW_RETURN_NOT_OK(builder.Append(value));
    std::shared_ptr<arrow::Array> array;
    ARROW_RETURN_NOT_OK(builder.Finish(&array));
    auto data = array->data()->Copy();
    data->type = value_type;
    array_ = arrow::MakeArray(data);
    return arrow::Status::OK();
}

arrow::Status column_dictionary::add(const std::vector<std::string_view> &values)
{
    const std::lock_guard<std::mutex> lock(mutex_);

    for (const auto value : values)
        ARROW_RETURN_NOT_OK(place_of(value).status());
    return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>>
column_dictionary::translate(const arrow::DictionaryArray &column)
{
    const auto *local = dynamic_cast<const arrow::BinaryArray *>(column.dictionary().get());
    std::shared_ptr<arrow::Array> shared;
    std::vector<int32_t> places;
    bool is_identity = true;

    if (local == nullptr)
        return fail(SLUICE_BAD_DATA, "the dictionary has the type " +
                                         column.dictionary()->type()->ToString());
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (int64_t value = 0; value < local->length(); value++) {
            ARROW_ASSIGN_OR_RAISE(const int32_t place, place_of(local->GetView(value)));
            is_identity = is_identity && place == value;
            places.push_back(place);
        }
        ARROW_RETURN_NOT_OK(rebuild());
        shared = array_;
    }
    if (is_identity)
        return arrow::DictionaryArray::FromArrays(type_, column.indices(), shared);
    /* Transpose() trusts the indices. */
    ARROW_RETURN_NOT_OK(column.ValidateFull());
    return column.Transpose(type_, shared, places.data(), memory_pool());
}

std::shared_ptr<column_dictionary> dictionary_set::find(const std::string &name) const
{
    const auto found = columns.find(name);

    return found == columns.end() ? nullptr : found->second;
}

} /* namespace sluice_io */

sluice_status sluice_dictionaries_new(const sluice_source *const *sources, size_t source_count,
                                      const char *const *columns, size_t column_count,
                                      sluice_dictionaries **out, sluice_error *error)
{
    *out = nullptr;
    return sluice_io::guard(sluice_io::direction::read, error, [&]() -> arrow::Status {
        sluice_io::name_set allowed;
        if (columns != nullptr)
            allowed.insert(columns, columns + column_count);
        ARROW_ASSIGN_OR_RAISE(auto set,
                              sluice_io::make_set(sources, source_count,
                                                  columns != nullptr ? &allowed : nullptr));
        *out = new sluice_dictionaries{std::move(set)};
        return arrow::Status::OK();
    });
}

size_t sluice_dictionaries_get_column_count(const sluice_dictionaries *dictionaries)
{
    return dictionaries->set->columns.size();
}

void sluice_dictionaries_free(sluice_dictionaries *dictionaries)
{
    delete dictionaries;
}
