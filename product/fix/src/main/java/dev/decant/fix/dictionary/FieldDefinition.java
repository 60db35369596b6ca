package dev.decant.fix.dictionary;

import org.jspecify.annotations.Nullable;

/**
 * A field as the dictionary defines it.
 *
 * @param tag its number
 * @param name its name
 * @param type its datatype, in QuickFIX's spelling
 * @param format what values must look like
 * @param values the values that it may have, null for any
 */
record FieldDefinition(int tag, String name, String type, ValueFormat format, @Nullable ValueSet values) {
  boolean isData() {
    return type.equals("DATA") || type.equals("XMLDATA");
  }

  /** Older dictionaries have INT for lengths. */
  boolean mayBeLength() {
    return isLength() || type.equals("INT");
  }

  boolean isLength() {
    return type.equals("LENGTH");
  }
}
