package dev.decant.testkit.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The main class of a JVM that answers questions about a cluster which the test kit did not start. It ends when its
 * input ends.
 */
public final class AdminMain {
  private AdminMain() {}

  /**
   * Answers until the input ends.
   *
   * @param arguments the bootstrap servers
   */
  public static void main(String[] arguments) {
    PrintStream answers = System.out;
    System.setOut(System.err); // whatever the client prints must not look like an answer
    obey(new TopicAdmin(arguments[0]), answers);
    Runtime.getRuntime().halt(0);
  }

  static void obey(TopicAdmin admin, PrintStream answers) {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println(answer(admin, line.split(" ", -1)));
        answers.flush();
      }
    } catch (IOException e) {
      System.err.println("the parent cannot be heard: " + e);
    }
  }

  private static String answer(TopicAdmin admin, String[] words) {
    try {
      return ("ok " + admin.execute(words)).strip();
    } catch (Exception e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return "error " + cause.toString().replace('\n', ' ');
    }
  }
}
