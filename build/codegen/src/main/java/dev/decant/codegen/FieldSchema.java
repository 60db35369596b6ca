package dev.decant.codegen;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One field of a message or struct.
 *
 * @param name as in the schema
 * @param type its type
 * @param versions the versions that have it
 * @param nullable the versions in which it may be null
 * @param tagged the versions in which it is a tagged field
 * @param tag its tag in these versions; unused if there are none
 * @param ignorable whether a value is dropped, rather than refused, by versions that do not have the field
 * @param defaultValue the schema's text; null if it gives none
 * @param about what it means
 */
record FieldSchema(String name, FieldType type, Versions versions, Versions nullable, Versions tagged, int tag,
    boolean ignorable, @Nullable String defaultValue, String about) {

  /** What cannot be a method or variable name, or would override a method of {@link Object}. */
  private static final Set<String> RESERVED = Set.of("abstract", "boolean", "break", "byte", "case", "catch", "char",
      "class", "const", "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally", "float",
      "for", "goto", "if", "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package",
      "private", "protected", "public", "return", "short", "static", "super", "switch", "synchronized", "this", "throw",
      "throws", "transient", "try", "void", "volatile", "while", "true", "false", "null", "hashCode", "toString",
      "getClass", "notify", "notifyAll", "wait", "clone", "finalize");

  /** The name in Java of the field and its accessors. */
  String javaName() {
    String lower = Character.toLowerCase(name.charAt(0)) + name.substring(1);
    return RESERVED.contains(lower) ? lower + "_" : lower;
  }

  boolean isNullable() {
    return !nullable.isEmpty();
  }

  /** Returns true if the field is null by default. */
  boolean isNullByDefault() {
    return isNullable() && ("null".equals(defaultValue) || type.kind() == FieldType.Kind.RECORDS);
  }

  /** The Java expression of its default value. */
  String javaDefault() {
    if (isNullByDefault()) {
      return "null";
    }
    String text = defaultValue == null ? "" : defaultValue;
    return switch (type.kind()) {
      case BOOL -> Boolean.toString(text.equals("true"));
      case INT8, INT16, UINT16, INT32 -> text.isEmpty() ? "0" : Long.decode(text).toString();
      case INT64 -> text.isEmpty() ? "0L" : Long.decode(text) + "L";
      case FLOAT64 -> text.isEmpty() ? "0.0" : Double.toString(Double.parseDouble(text));
      case STRING -> "\"" + text + "\"";
      case UUID -> "Uuid.ZERO";
      case BYTES, RECORDS -> "Wire.EMPTY";
      case STRUCT -> "new " + type.structName() + "()";
      case ARRAY -> "List.of()";
    };
  }

  /** The Java condition that says that it holds its default value. */
  String javaIsDefault() {
    String value = "this." + javaName();
    if (isNullByDefault()) {
      return value + " == null";
    }
    return switch (type.kind()) {
      case BOOL -> javaDefault().equals("true") ? value : "!" + value;
      case INT8, INT16, UINT16, INT32, INT64, FLOAT64 -> value + " == " + javaDefault();
      case STRING -> javaDefault() + ".equals(" + value + ")";
      case UUID -> "Uuid.ZERO.equals(" + value + ")";
      case BYTES, RECORDS -> notNull(value) + "!" + value + ".hasRemaining()";
      case STRUCT -> notNull(value) + value + ".isDefault()";
      case ARRAY -> notNull(value) + value + ".isEmpty()";
    };
  }

  private String notNull(String value) {
    return isNullable() ? value + " != null && " : "";
  }

  /** The opposite of {@link #javaIsDefault}. */
  String javaIsSet() {
    String condition = javaIsDefault();
    if (condition.contains("&&")) {
      return "!(" + condition + ")";
    }
    if (condition.contains(" == ")) {
      return condition.replace(" == ", " != ");
    }
    return condition.startsWith("!") ? condition.substring(1) : "!" + condition;
  }

  /**
   * Whether its value may be a secret, and stays out of logs. Byte strings never show; a configuration's value may be a
   * key store's password.
   */
  boolean isSecret(String owner) {
    if (type.kind() != FieldType.Kind.STRING) {
      return false;
    }
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.contains("password") || lower.contains("secret") || lower.contains("hmac")
        || (name.equals("Value") && (owner.contains("Config") || owner.contains("Synonym")));
  }
}
