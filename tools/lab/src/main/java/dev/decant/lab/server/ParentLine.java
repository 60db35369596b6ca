package dev.decant.lab.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The line to the parent of a child JVM: one request in, one response out. When the parent is gone, the JVM ends at
 * once, whatever it is doing.
 */
public final class ParentLine {
  private final PrintStream out = System.out;

  private ParentLine() {}

  /** What a request is answered with. */
  @FunctionalInterface
  public interface Requests {
    /**
     * Does what is asked for.
     *
     * @param request one line
     * @return one line
     * @throws Exception which becomes a response, too
     */
    String response(String request) throws Exception;
  }

  /**
   * Opens it; from here on what is printed goes to standard error.
   *
   * @return the only one
   */
  public static ParentLine open() {
    ParentLine line = new ParentLine();
    System.setOut(System.err); // whatever a server prints must not look like a response
    return line;
  }

  /**
   * Responses until the parent is gone.
   *
   * @param requests runs on the calling thread
   * @throws InterruptedException when somebody interrupts it
   */
  public void serve(Requests requests) throws InterruptedException {
    BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    Thread.ofPlatform().name("parent").daemon(true).start(() -> listen(asked));
    while (true) {
      String request = asked.take();
      try {
        response("ok " + requests.response(request));
      } catch (Exception e) {
        refuse(e);
      }
    }
  }

  /**
   * Tells the parent of a failure.
   *
   * @param error whose message goes there; the stack goes to the log
   */
  public void refuse(Exception error) {
    String message = error.getMessage();
    response("error " + (message == null ? error.toString() : message).replace('\n', ' '));
    error.printStackTrace(System.err);
  }

  private void response(String line) {
    out.println(line);
    out.flush();
  }

  private static void listen(BlockingQueue<String> asked) {
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        asked.add(line);
      }
    } catch (IOException e) {
      e.printStackTrace(System.err);
    }
    Runtime.getRuntime().halt(0);
  }
}
