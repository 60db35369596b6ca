package dev.decant.codegen;

/** Writes what a struct and a message have in common: the fields, their accessors and the value methods. */
final class StructCode {
  private final MessageSchema message;
  private final StructSchema struct;
  private final JavaText java;
  private final WireCode wire;

  StructCode(MessageSchema message, StructSchema struct, JavaText java) {
    this.message = message;
    this.struct = struct;
    this.java = java;
    wire = new WireCode(message, struct, java);
  }

  /** Writes the members of the class, between its braces. */
  void members() {
    for (FieldSchema field : struct.fields()) {
      java.line("private " + fieldType(field) + " " + field.javaName() + " = " + field.javaDefault() + ";");
    }
    java.blank();
    java.line("/** Every field has its default value. */");
    java.line("public " + struct.name() + "() {").line("}");
    for (FieldSchema field : struct.fields()) {
      accessors(field);
    }
    wire.methods();
    if (!struct.equals(message.body()) && message.isSingleField(struct.name())) {
      isDefault();
    }
    equalsMethod();
    hashCodeMethod();
    toStringMethod();
  }

  private static String fieldType(FieldSchema field) {
    return field.isNullable() ? "@Nullable " + field.type().javaType() : field.type().javaType();
  }

  private void accessors(FieldSchema field) {
    String name = field.javaName();
    java.blank();
    String about = field.about().isEmpty() ? "The field " + field.name() + "." : field.about();
    java.docHtml(JavaText.escape(about) + presence(field));
    java.line("public " + fieldType(field) + " " + name + "() {");
    java.line("return this." + name + ";").line("}");
    java.blank();
    java.docHtml("Sets {@link #" + name + "()}.");
    java.line("public " + struct.name() + " " + name + "(" + fieldType(field) + " v) {");
    java.line("this." + name + " = " + checked(field) + ";").line("return this;").line("}");
  }

  private static String checked(FieldSchema field) {
    if (field.type().kind() == FieldType.Kind.UINT16) {
      return "Wire.requireUint16(v, \"" + field.javaName() + "\")";
    }
    boolean mayBeNull = field.isNullable() || field.type().isPrimitive();
    return mayBeNull ? "v" : "Objects.requireNonNull(v, \"" + field.javaName() + "\")";
  }

  /** Says in which versions the field is there, and may be null, where that is not all of them. */
  private String presence(FieldSchema field) {
    StringBuilder text = new StringBuilder();
    if (!field.versions().equals(struct.versions())) {
      text.append(" In versions ").append(open(field.versions())).append('.');
    }
    if (field.isNullable()) {
      boolean always = field.nullable().equals(field.versions());
      text.append(" May be null").append(always ? "" : " in versions " + open(field.nullable())).append('.');
    }
    return text.toString();
  }

  private String open(Versions versions) {
    boolean lasting = versions.highest() == message.versions().highest();
    return new Versions(versions.lowest(), lasting ? Short.MAX_VALUE : versions.highest()).toString();
  }

  private void isDefault() {
    java.blank();
    java.line("boolean isDefault() {");
    String and = "return ";
    StringBuilder all = new StringBuilder();
    for (FieldSchema field : struct.fields()) {
      all.append(and).append(field.javaIsDefault());
      and = "\n        && ";
    }
    java.line(indented(all.append(';').toString())).line("}");
  }

  private void equalsMethod() {
    java.blank();
    java.line("@Override").line("public boolean equals(@Nullable Object other) {");
    if (struct.fields().isEmpty()) {
      java.line("return other instanceof " + struct.name() + ";").line("}");
      return;
    }
    java.line("if (!(other instanceof " + struct.name() + " that)) {").line("return false;").line("}");
    String and = "return ";
    StringBuilder all = new StringBuilder();
    for (FieldSchema field : struct.fields()) {
      all.append(and).append(equal(field));
      and = "\n        && ";
    }
    java.line(indented(all.append(';').toString())).line("}");
  }

  private static String equal(FieldSchema field) {
    String mine = "this." + field.javaName();
    String other = "that." + field.javaName();
    if (field.type().kind() == FieldType.Kind.FLOAT64) {
      return "Double.compare(" + mine + ", " + other + ") == 0";
    }
    if (field.type().isPrimitive()) {
      return mine + " == " + other;
    }
    return field.isNullable() ? "Objects.equals(" + mine + ", " + other + ")" : mine + ".equals(" + other + ")";
  }

  private void hashCodeMethod() {
    java.blank();
    java.line("@Override").line("public int hashCode() {").line("int hash = 1;");
    for (FieldSchema field : struct.fields()) {
      java.line("hash = 31 * hash + " + hash(field) + ";");
    }
    java.line("return hash;").line("}");
  }

  private static String hash(FieldSchema field) {
    String value = "this." + field.javaName();
    return switch (field.type().kind()) {
      case BOOL -> "Boolean.hashCode(" + value + ")";
      case INT8, INT16, UINT16, INT32 -> value;
      case INT64 -> "Long.hashCode(" + value + ")";
      case FLOAT64 -> "Double.hashCode(" + value + ")";
      default -> field.isNullable() ? "Objects.hashCode(" + value + ")" : value + ".hashCode()";
    };
  }

  private void toStringMethod() {
    java.blank();
    java.line("/** The fields; byte strings by their length only, and what may be a secret not at all. */");
    java.line("@Override").line("public String toString() {");
    StringBuilder all = new StringBuilder("return \"" + struct.name() + "(");
    String separator = "";
    for (FieldSchema field : struct.fields()) {
      all.append(separator).append(field.javaName()).append("=\" + ").append(shown(field));
      separator = "\n        + \", ";
    }
    all.append(struct.fields().isEmpty() ? ")\";" : "\n        + \")\";");
    java.line(indented(all.toString())).line("}");
  }

  private String shown(FieldSchema field) {
    String value = "this." + field.javaName();
    if (field.type().isBytes()) {
      return "Wire.describe(" + value + ")";
    }
    return field.isSecret(struct.name()) ? "Wire.hide(" + value + ")" : value;
  }

  /** Continuation lines of one statement, at the depth where this struct's method bodies are. */
  private String indented(String statement) {
    return statement.replace("\n", "\n" + (struct.equals(message.body()) ? "" : "  "));
  }
}
