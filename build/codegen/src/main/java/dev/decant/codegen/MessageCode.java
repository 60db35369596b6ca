package dev.decant.codegen;

/** Writes the class of a message. */
final class MessageCode {
  private MessageCode() {}

  static String write(MessageSchema message, String packageName) {
    JavaText body = new JavaText();
    String what = message.isRequest() ? "request" : "response";
    body.docHtml("The " + what + " " + message.name() + ", API key " + message.apiKey() + ", versions "
        + message.versions() + ". Mutable, not thread safe; lists that were read are not to be modified.");
    body.line("public final class " + message.name() + " {");
    constants(message, body);
    new StructCode(message, message.body(), body).members();
    for (StructSchema struct : message.structs()) {
      if (struct.versions().isEmpty()) {
        continue;
      }
      body.blank();
      body.doc(struct.about().isEmpty() ? "A struct of " + message.name() + "." : struct.about());
      body.line("public static final class " + struct.name() + " {");
      new StructCode(message, struct, body).members();
      body.line("}");
    }
    body.line("}");
    JavaText head = new JavaText();
    head.line("// Generated from Apache Kafka's message schema " + message.name() + ".json; do not edit.");
    head.line("package " + packageName + ";").blank();
    return head + imports(body.toString()) + body;
  }

  private static void constants(MessageSchema message, JavaText body) {
    Versions flexible = message.flexible();
    body.doc("The number of the API.");
    body.line("public static final short API_KEY = " + message.apiKey() + ";");
    body.doc("The lowest version that is implemented.");
    body.line("public static final short LOWEST_VERSION = " + message.versions().lowest() + ";");
    body.doc("The highest version that is implemented.");
    body.line("public static final short HIGHEST_VERSION = " + message.versions().highest() + ";");
    body.doc("The highest version that brokers offer by default: one more may be under development.");
    body.line("public static final short HIGHEST_STABLE_VERSION = " + message.highestStableVersion() + ";");
    body.doc("The first version with compact types and tagged fields (KIP-482)"
        + (flexible.isEmpty() ? "; there is none." : "."));
    body.line("public static final short FIRST_FLEXIBLE_VERSION = "
        + (flexible.isEmpty() ? "Short.MAX_VALUE" : flexible.lowest()) + ";");
    body.blank();
  }

  private static String imports(String body) {
    JavaText imports = new JavaText();
    imports.line("import dev.decant.kafka.protocol.ProtocolReader;")
        .line("import dev.decant.kafka.protocol.ProtocolWriter;");
    importIfUsed(imports, body, "dev.decant.kafka.protocol", "Uuid");
    importIfUsed(imports, body, "java.nio", "ByteBuffer");
    importIfUsed(imports, body, "java.util", "ArrayList");
    importIfUsed(imports, body, "java.util", "List");
    importIfUsed(imports, body, "java.util", "Objects");
    imports.line("import org.jspecify.annotations.Nullable;");
    return imports.blank().toString();
  }

  private static void importIfUsed(JavaText imports, String body, String packageName, String name) {
    if (body.matches("(?s).*\\b" + name + "[ .<].*")) {
      imports.line("import " + packageName + "." + name + ";");
    }
  }
}
