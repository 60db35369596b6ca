package dev.decant.fix.dictionary;

import org.jspecify.annotations.Nullable;

/**
 * A field that the dictionary defines.
 *
 * @param tag its number
 * @param name its name
 * @param type its datatype, in QuickFIX's spelling
 * @param format the format of its values
 * @param values the values that it may have, null for any
 */
record FieldDefinition(int tag, String name, String type, ValueFormat format, @Nullable ValueSet values) {
  boolean isData() {
    return type.equals("DATA") || type.equals("XMLDATA");
  }

  /** Returns true if the field can have a length. Older dictionaries have the type INT for lengths. */
  boolean mayBeLength() {
    return isLength() || type.equals("INT");
  }

  boolean isLength() {
    return type.equals("LENGTH");
  }
}
