package dev.decant.testkit.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The main class of a JVM that serves requests about a cluster that the test kit did not start. It ends when its
 * input ends.
 */
public final class AdminMain {
  private AdminMain() {}

  /**
   * Serves requests until the input ends.
   *
   * @param arguments the bootstrap servers, and perhaps a properties file with settings for the admin client
   * @throws IOException when the file cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream responses = System.out;
    System.setOut(System.err); // the parent would read output of the client as a response
    obey(new TopicAdmin(arguments[0], settings(arguments)), responses);
    Runtime.getRuntime().halt(0);
  }

  private static Map<String, String> settings(String[] arguments) throws IOException {
    Properties read = new Properties();
    if (arguments.length > 1) {
      try (InputStream in = Files.newInputStream(Path.of(arguments[1]))) {
        read.load(in);
      }
    }
    Map<String, String> settings = new HashMap<>();
    read.stringPropertyNames().forEach(name -> settings.put(name, read.getProperty(name)));
    return settings;
  }

  static void obey(TopicAdmin admin, PrintStream responses) {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        responses.println(respond(admin, line.split(" ", -1)));
        responses.flush();
      }
    } catch (IOException e) {
      System.err.println("the parent cannot be heard: " + e);
    }
  }

  private static String respond(TopicAdmin admin, String[] words) {
    try {
      return ("ok " + admin.execute(words)).strip();
    } catch (Exception e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return "error " + cause.toString().replace('\n', ' ');
    }
  }
}
