package dev.decant.codegen;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Generates the messages. Arguments: a file that names the APIs, one a line; the directory of the sources to write. The
 * schemas are taken from the class path, where Apache's client library has them.
 */
public final class GenerateMessages {
  private static final String PROTOCOL_PACKAGE = "dev.decant.kafka.protocol";
  private static final String MESSAGE_PACKAGE = PROTOCOL_PACKAGE + ".message";

  private GenerateMessages() {}

  /**
   * Runs the generator.
   *
   * @param args the list of APIs and the output directory
   * @throws IOException if a schema is missing or a file cannot be written
   */
  public static void main(String[] args) throws IOException {
    Path output = Path.of(args[1]);
    List<MessageSchema> messages = new ArrayList<>();
    for (String api : apis(Path.of(args[0]))) {
      messages.add(schema(api + "Request"));
      messages.add(schema(api + "Response"));
    }
    Set<Path> written = new HashSet<>();
    for (MessageSchema message : messages) {
      Path file = source(output, MESSAGE_PACKAGE, message.name());
      replace(file, MessageCode.write(message, MESSAGE_PACKAGE));
      written.add(file);
    }
    Path apiKey = source(output, PROTOCOL_PACKAGE, "ApiKey");
    replace(apiKey, ApiKeyCode.write(messages, PROTOCOL_PACKAGE));
    written.add(apiKey);
    deleteOthers(output, written);
  }

  private static List<String> apis(Path list) throws IOException {
    return Files.readAllLines(list).stream().map(line -> line.replaceFirst("#.*", "").strip())
        .filter(line -> !line.isEmpty()).toList();
  }

  private static MessageSchema schema(String name) throws IOException {
    String resource = "common/message/" + name + ".json";
    try (InputStream in = GenerateMessages.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new FileNotFoundException(resource + " is not on the class path");
      }
      return SchemaParser.parse(in);
    }
  }

  private static Path source(Path output, String packageName, String name) {
    return output.resolve(packageName.replace('.', '/')).resolve(name + ".java");
  }

  /** Leaves a file alone that is as it should be, so that the compiler has nothing to do. */
  private static void replace(Path file, String content) throws IOException {
    if (Files.exists(file) && Files.readString(file).equals(content)) {
      return;
    }
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  /** Removes what an earlier run wrote for a message that is not wanted any more. */
  private static void deleteOthers(Path output, Set<Path> written) throws IOException {
    try (var files = Files.walk(output)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!written.contains(file)) {
          Files.delete(file);
        }
      }
    }
  }
}
