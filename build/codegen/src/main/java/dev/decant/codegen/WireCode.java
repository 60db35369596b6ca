package dev.decant.codegen;

import java.util.List;

/** Writes the methods that encode and decode a struct or message. */
final class WireCode {
  private final MessageSchema message;
  private final StructSchema struct;
  private final JavaText java;

  WireCode(MessageSchema message, StructSchema struct, JavaText java) {
    this.message = message;
    this.struct = struct;
    this.java = java;
  }

  private boolean isBody() {
    return struct.equals(message.body());
  }

  void methods() {
    writeMethod();
    readMethod();
    for (FieldSchema field : struct.fields()) {
      if (field.type().kind() == FieldType.Kind.ARRAY) {
        writeArrayMethod(field);
        readArrayMethod(field);
      }
    }
  }

  private void writeMethod() {
    java.blank();
    if (isBody()) {
      java.lines("/**", " * Encodes the message behind what has been written.", " *",
          " * @param out where to; too small a region is {@link dev.decant.buffer.BufferTooSmallException}",
          " * @param version one of {@link #LOWEST_VERSION} to {@link #HIGHEST_VERSION}",
          " * @throws dev.decant.kafka.protocol.UnsupportedVersionException if there is no such version, or a field",
          " *     is set that it does not have and that matters", " */");
    }
    java.line((isBody() ? "public " : "") + "void write(ProtocolWriter out, short version) {");
    checkVersion();
    declareFlexible(struct.versions());
    for (FieldSchema field : struct.fields()) {
      refuseWhereMissing(field);
      Versions regular = regular(field);
      if (!regular.isEmpty()) {
        String condition = condition(regular, struct.versions());
        openIf(condition);
        writeValue(field, regular);
        closeIf(condition);
      }
    }
    writeTags();
    java.line("}");
  }

  private void readMethod() {
    java.blank();
    if (isBody()) {
      java.lines("/**", " * Decodes a message.", " *",
          " * @param in its bytes; fields of bytes are slices of them, valid as long as they are",
          " * @param version one of {@link #LOWEST_VERSION} to {@link #HIGHEST_VERSION}", " * @return the message",
          " * @throws dev.decant.buffer.MalformedBytesException if the bytes do not follow the schema",
          " * @throws dev.decant.kafka.protocol.UnsupportedVersionException if there is no such version", " */");
    }
    java.line((isBody() ? "public " : "") + "static " + struct.name() + " read(ProtocolReader in, short version) {");
    checkVersion();
    declareFlexible(struct.versions());
    java.line(struct.name() + " m = new " + struct.name() + "();");
    for (FieldSchema field : struct.fields()) {
      Versions regular = regular(field);
      if (!regular.isEmpty()) {
        String condition = condition(regular, struct.versions());
        openIf(condition);
        readValue(field, regular);
        closeIf(condition);
      }
    }
    readTags();
    java.line("return m;").line("}");
  }

  private void checkVersion() {
    if (isBody()) {
      java.line("Wire.checkVersion(\"" + message.name() + "\", version, LOWEST_VERSION, HIGHEST_VERSION);");
    }
  }

  /** Declares the local variable that {@link #flexible} refers to, where that is not a constant. */
  private void declareFlexible(Versions within) {
    if (isPartlyFlexible(within)) {
      java.line("boolean flexible = version >= FIRST_FLEXIBLE_VERSION;");
    }
  }

  private boolean isPartlyFlexible(Versions within) {
    return flexible(within).equals("flexible");
  }

  private String flexible(Versions within) {
    Versions both = message.flexible().intersect(within);
    if (both.isEmpty()) {
      return "false";
    }
    return both.equals(within) ? "true" : "flexible";
  }

  private static Versions regular(FieldSchema field) {
    return field.versions().below(field.tagged());
  }

  /** The Java condition for a part of some versions; empty for all of them. */
  private static String condition(Versions part, Versions within) {
    return part.equals(within) ? "" : part.condition(within);
  }

  private void openIf(String condition) {
    if (!condition.isEmpty()) {
      java.line("if (" + condition + ") {");
    }
  }

  private void closeIf(String condition) {
    if (!condition.isEmpty()) {
      java.line("}");
    }
  }

  private String label(FieldSchema field) {
    return "\"" + (isBody() ? "" : message.name() + ".") + struct.name() + "." + field.javaName() + "\"";
  }

  private void refuseWhereMissing(FieldSchema field) {
    if (field.ignorable() || field.versions().equals(struct.versions())) {
      return;
    }
    String missing = field.versions().negatedCondition(struct.versions());
    if (missing.contains("||")) {
      missing = "(" + missing + ")";
    }
    java.line("if (" + missing + " && " + field.javaIsSet() + ") {");
    java.line("throw Wire.unsupportedField(" + label(field) + ", version);").line("}");
  }

  private void refuseNull(FieldSchema field, Versions within, String value, String method) {
    Versions nullable = field.nullable().intersect(within);
    if (!field.isNullable() || nullable.equals(within)) {
      return;
    }
    String versions = nullable.isEmpty() ? "" : nullable.negatedCondition(within) + " && ";
    java.line("if (" + versions + value + " == null) {");
    java.line("throw Wire." + method + "(" + label(field) + ", version);").line("}");
  }

  private void writeValue(FieldSchema field, Versions within) {
    String value = "this." + field.javaName();
    if (field.type().kind() == FieldType.Kind.STRUCT) {
      writeStruct(field, within, value);
      return;
    }
    refuseNull(field, within, value, "nullField");
    if (field.type().kind() == FieldType.Kind.ARRAY) {
      java.line("write" + field.name() + "(out, version);");
    } else {
      java.line(writeScalar(field.type(), value, flexible(within), field.isNullable()));
    }
  }

  private void writeStruct(FieldSchema field, Versions within, String value) {
    Versions nullable = field.nullable().intersect(within);
    if (nullable.isEmpty()) {
      refuseNull(field, within, value, "nullField");
      java.line(value + ".write(out, version);");
      return;
    }
    requireAllNullable(field, within, nullable);
    java.line("if (" + value + " == null) {").line("out.writeByte(-1);").line("} else {");
    java.line("out.writeByte(1);").line(value + ".write(out, version);").line("}");
  }

  private void requireAllNullable(FieldSchema field, Versions within, Versions nullable) {
    if (!nullable.equals(within)) {
      throw new IllegalArgumentException(label(field) + " is a struct that is nullable in " + nullable + " only");
    }
  }

  private static String writeScalar(FieldType type, String value, String flexible, boolean nullable) {
    return switch (type.kind()) {
      case BOOL -> "out.writeBoolean(" + value + ");";
      case INT8 -> "out.writeByte(" + value + ");";
      case INT16, UINT16 -> "out.writeShort(" + value + ");";
      case INT32 -> "out.writeInt(" + value + ");";
      case INT64 -> "out.writeLong(" + value + ");";
      case FLOAT64 -> "out.writeDouble(" + value + ");";
      case UUID -> "out.writeUuid(" + value + ");";
      case STRING -> "Wire.write" + (nullable ? "Nullable" : "") + "String(out, " + value + ", " + flexible + ");";
      case BYTES, RECORDS ->
        "Wire.write" + (nullable ? "Nullable" : "") + "Bytes(out, " + value + ", " + flexible + ");";
      case STRUCT -> value + ".write(out, version);";
      case ARRAY -> throw new IllegalArgumentException("an array of arrays");
    };
  }

  private void readValue(FieldSchema field, Versions within) {
    String value = "m." + field.javaName();
    boolean structOrNull = field.type().kind() == FieldType.Kind.STRUCT
        && !field.nullable().intersect(within).isEmpty();
    if (structOrNull) {
      requireAllNullable(field, within, field.nullable().intersect(within));
      java.line(value + " = in.readByte() < 0 ? null : " + field.type().structName() + ".read(in, version);");
      return;
    }
    if (field.type().kind() == FieldType.Kind.ARRAY) {
      java.line(value + " = read" + field.name() + "(in, version);");
    } else {
      java.line(value + " = " + readScalar(field.type(), flexible(within), field.isNullable()) + ";");
    }
    if (field.type().kind() != FieldType.Kind.STRUCT) {
      refuseNull(field, within, value, "malformedNull");
    }
  }

  private static String readScalar(FieldType type, String flexible, boolean nullable) {
    return switch (type.kind()) {
      case BOOL -> "in.readBoolean()";
      case INT8 -> "in.readByte()";
      case INT16 -> "in.readShort()";
      case UINT16 -> "in.readUnsignedShort()";
      case INT32 -> "in.readInt()";
      case INT64 -> "in.readLong()";
      case FLOAT64 -> "in.readDouble()";
      case UUID -> "in.readUuid()";
      case STRING -> "Wire.read" + (nullable ? "Nullable" : "") + "String(in, " + flexible + ")";
      case BYTES, RECORDS -> "Wire.read" + (nullable ? "Nullable" : "") + "Bytes(in, " + flexible + ")";
      case STRUCT -> type.structName() + ".read(in, version)";
      case ARRAY -> throw new IllegalArgumentException("an array of arrays");
    };
  }

  private void writeArrayMethod(FieldSchema field) {
    Versions within = field.versions();
    FieldType element = field.type().elementType();
    java.blank();
    java.line("private void write" + field.name() + "(ProtocolWriter out, short version) {");
    declareFlexible(within);
    java.line(field.type().javaType() + " list = this." + field.javaName() + ";");
    if (field.isNullable()) {
      java.line("if (list == null) {").line("Wire.writeArrayLength(out, -1, " + flexible(within) + ");");
      java.line("return;").line("}");
    }
    java.line("int count = list.size();");
    java.line("Wire.writeArrayLength(out, count, " + flexible(within) + ");");
    java.line("for (int i = 0; i < count; i++) {");
    java.line(writeScalar(element, "list.get(i)", flexible(within), false)).line("}").line("}");
  }

  private void readArrayMethod(FieldSchema field) {
    Versions within = field.versions();
    FieldType element = field.type().elementType();
    java.blank();
    java.line("private static " + (field.isNullable() ? "@Nullable " : "") + field.type().javaType() + " read"
        + field.name() + "(ProtocolReader in, short version) {");
    declareFlexible(within);
    java.line("int count = Wire.readArrayLength(in, " + message.minBytes(element, within, false) + ", "
        + message.minBytes(element, within, true) + ", " + flexible(within) + ");");
    java.line("if (count < 0) {");
    java.line(field.isNullable() ? "return null;" : "throw Wire.malformedNull(" + label(field) + ", version);");
    java.line("}").line("if (count == 0) {").line("return List.of();").line("}");
    java.line(field.type().javaType() + " list = new ArrayList<>(count);");
    java.line("for (int i = 0; i < count; i++) {");
    java.line("list.add(" + readScalar(element, flexible(within), false) + ");").line("}");
    java.line("return list;").line("}");
  }

  private void writeTags() {
    Versions flexible = message.flexible().intersect(struct.versions());
    if (flexible.isEmpty()) {
      return;
    }
    String condition = flexible.equals(struct.versions()) ? "" : "flexible";
    openIf(condition);
    List<FieldSchema> tagged = struct.taggedFields();
    if (tagged.isEmpty()) {
      java.line("out.writeUnsignedVarint(0); // no tagged fields");
    } else {
      java.line("int tags = 0;");
      for (FieldSchema field : tagged) {
        java.line("if (" + isWritten(field, flexible) + ") {").line("tags++;").line("}");
      }
      java.line("out.writeUnsignedVarint(tags);");
      for (FieldSchema field : tagged) {
        java.line("if (" + isWritten(field, flexible) + ") {");
        java.line("int start" + field.tag() + " = Wire.beginTag(out, " + field.tag() + ");");
        writeValue(field, field.tagged());
        java.line("Wire.endTag(out, start" + field.tag() + ");").line("}");
      }
    }
    closeIf(condition);
  }

  private static String isWritten(FieldSchema field, Versions flexible) {
    String condition = condition(field.tagged(), flexible);
    return condition.isEmpty() ? field.javaIsSet() : condition + " && " + field.javaIsSet();
  }

  private void readTags() {
    Versions flexible = message.flexible().intersect(struct.versions());
    if (flexible.isEmpty()) {
      return;
    }
    String condition = flexible.equals(struct.versions()) ? "" : "flexible";
    openIf(condition);
    List<FieldSchema> tagged = struct.taggedFields();
    if (tagged.isEmpty()) {
      java.line("in.skipTaggedFields();");
    } else {
      java.line("int tags = Wire.readTagCount(in);");
      java.line("for (int i = 0; i < tags; i++) {");
      java.line("int tag = in.readUnsignedVarint();");
      java.line("int size = in.readUnsignedVarint();");
      java.line("switch (tag) {");
      for (FieldSchema field : tagged) {
        readTag(field, flexible);
      }
      java.line("default -> in.skip(size);").line("}").line("}");
    }
    closeIf(condition);
  }

  private void readTag(FieldSchema field, Versions flexible) {
    java.line("case " + field.tag() + " -> {");
    String condition = condition(field.tagged(), flexible);
    openIf(condition);
    java.line("int end = Wire.tagEnd(in, size);");
    readValue(field, field.tagged());
    java.line("Wire.requireEnd(in, end, " + label(field) + ");");
    if (!condition.isEmpty()) {
      java.line("} else {").line("in.skip(size);").line("}");
    }
    java.line("}");
  }
}
