package dev.decant.lab.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The line of a child JVM to its parent: one request in, one response out. When the parent has ended, the JVM halts at
 * once, in the middle of a request, too.
 */
public final class ParentLine {
  private final PrintStream out = System.out;

  private ParentLine() {}

  /** Serves requests. */
  @FunctionalInterface
  public interface Requests {
    /**
     * Serves a request.
     *
     * @param request one line
     * @return one line
     * @throws Exception becomes a response, too
     */
    String response(String request) throws Exception;
  }

  /**
   * Opens the line; from here on, System.out prints to standard error.
   *
   * @return the only instance
   */
  public static ParentLine open() {
    ParentLine line = new ParentLine();
    System.setOut(System.err); // a line that a server prints would be read as a response
    return line;
  }

  /**
   * Serves requests until the parent has ended.
   *
   * @param requests runs on the calling thread
   * @throws InterruptedException when the thread is interrupted
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
   * Reports a failure to the parent.
   *
   * @param error its message goes to the parent, its stack trace to the log
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
