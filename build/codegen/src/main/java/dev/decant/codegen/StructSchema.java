package dev.decant.codegen;

import java.util.Comparator;
import java.util.List;

/**
 * A message's own fields, or a struct's.
 *
 * @param name the Java class
 * @param versions the versions of the message that have it
 * @param about what it is
 * @param fields its fields, in their order on the wire
 */
record StructSchema(String name, Versions versions, String about, List<FieldSchema> fields) {

  List<FieldSchema> taggedFields() {
    return fields.stream().filter(f -> !f.tagged().isEmpty())
        .sorted(Comparator.comparingInt(FieldSchema::tag)).toList();
  }
}
