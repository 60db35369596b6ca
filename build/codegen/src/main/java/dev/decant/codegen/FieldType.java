package dev.decant.codegen;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The type of a field.
 *
 * @param kind what it is
 * @param struct the struct's name, for {@link Kind#STRUCT} only
 * @param element the type of the elements, for {@link Kind#ARRAY} only
 */
record FieldType(Kind kind, @Nullable String struct, @Nullable FieldType element) {

  /** The types of a schema, with their Java types and the bytes that they take at least, flexible and not. */
  enum Kind {
    BOOL("boolean", "Boolean", 1, 1), INT8("byte", "Byte", 1, 1), INT16("short", "Short", 2, 2),
    UINT16("int", "Integer", 2, 2), INT32("int", "Integer", 4, 4), INT64("long", "Long", 8, 8),
    FLOAT64("double", "Double", 8, 8), STRING("String", "String", 1, 2), UUID("Uuid", "Uuid", 16, 16),
    BYTES("ByteBuffer", "ByteBuffer", 1, 4), RECORDS("ByteBuffer", "ByteBuffer", 1, 4), STRUCT("", "", 0, 0),
    ARRAY("", "", 1, 4);

    final String javaType;
    final String boxedType;
    final int minFlexibleBytes;
    final int minPlainBytes;

    Kind(String javaType, String boxedType, int minFlexibleBytes, int minPlainBytes) {
      this.javaType = javaType;
      this.boxedType = boxedType;
      this.minFlexibleBytes = minFlexibleBytes;
      this.minPlainBytes = minPlainBytes;
    }
  }

  static FieldType parse(String text) {
    if (text.startsWith("[]")) {
      return new FieldType(Kind.ARRAY, null, parse(text.substring(2)));
    }
    if (Character.isUpperCase(text.charAt(0))) {
      return new FieldType(Kind.STRUCT, text, null);
    }
    return new FieldType(Kind.valueOf(text.toUpperCase(Locale.ROOT)), null, null);
  }

  FieldType elementType() {
    if (element == null) {
      throw new IllegalStateException(this + " has no elements");
    }
    return element;
  }

  String structName() {
    if (struct == null) {
      throw new IllegalStateException(this + " is no struct");
    }
    return struct;
  }

  /** Whether Java holds it as a primitive value. */
  boolean isPrimitive() {
    return switch (kind) {
      case BOOL, INT8, INT16, UINT16, INT32, INT64, FLOAT64 -> true;
      default -> false;
    };
  }

  boolean isBytes() {
    return kind == Kind.BYTES || kind == Kind.RECORDS;
  }

  String javaType() {
    return switch (kind) {
      case STRUCT -> structName();
      case ARRAY -> "List<" + elementType().boxedType() + ">";
      default -> kind.javaType;
    };
  }

  private String boxedType() {
    return kind == Kind.STRUCT || kind == Kind.ARRAY ? javaType() : kind.boxedType;
  }
}
