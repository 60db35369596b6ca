package dev.decant.lab.live;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Who looks at the page: what has happened already, then what happens. Whoever publishes never waits for it: a reader
 * whose queue is full is dropped, and learns that when its connection takes bytes again.
 */
final class Reader {
  /** Minutes of a run that is looked at. */
  static final int MOST_WAITING = 256;

  /** How long the page waits before it connects again. */
  private static final byte[] HEAD = bytes("retry: 1000\n\n");
  /** A comment: so that a connection that is gone is noticed. */
  private static final byte[] NOTHING_NEW = bytes(":\n\n");
  private static final int QUIET_SECONDS = 15;

  private final List<ServerSentEvent> past;
  private final BlockingQueue<ServerSentEvent> coming = new ArrayBlockingQueue<>(MOST_WAITING);
  // Written by who publishes, read by the thread that writes to the connection.
  private volatile boolean dropped;

  Reader(List<ServerSentEvent> past) {
    this.past = past;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** False if it was too slow; it gets nothing any more then. */
  boolean offer(ServerSentEvent event) {
    dropped = dropped || !coming.offer(event);
    return !dropped;
  }

  /** There will be no other event. */
  void end() {
    var unused = offer(ServerSentEvent.END);
  }

  /** Writes until the end, or until it is dropped. */
  void serve(OutputStream out) throws IOException, InterruptedException {
    out.write(HEAD);
    for (ServerSentEvent event : past) {
      out.write(bytes(event.frame()));
    }
    out.flush();
    while (!dropped) {
      ServerSentEvent event = coming.poll(QUIET_SECONDS, TimeUnit.SECONDS);
      if (event != null && event.isEnd()) {
        return;
      }
      out.write(event == null ? NOTHING_NEW : bytes(event.frame()));
      out.flush();
    }
  }
}
