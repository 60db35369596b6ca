package dev.decant.lab.live;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A reader of the page, which receives past events and then new ones. Publishers never wait for it: a reader whose
 * queue is full is dropped, and its connection is closed when it can be written to again.
 */
final class Reader {
  /** Most events that wait for a reader: minutes of a run. */
  static final int MOST_WAITING = 256;

  /** The time after which the page connects again. */
  private static final byte[] HEAD = bytes("retry: 1000\n\n");
  /**
   * A comment in the stream. It is written from time to time, because only a write shows that a connection is broken.
   */
  private static final byte[] NOTHING_NEW = bytes(":\n\n");
  private static final int QUIET_SECONDS = 15;

  private final List<ServerSentEvent> past;
  private final BlockingQueue<ServerSentEvent> coming = new ArrayBlockingQueue<>(MOST_WAITING);
  // True after the queue was full. Written by publishers, read by the thread that writes to the connection.
  private volatile boolean dropped;

  Reader(List<ServerSentEvent> past) {
    this.past = past;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Adds an event; returns false if the reader is too slow, which ends it. */
  boolean offer(ServerSentEvent event) {
    dropped = dropped || !coming.offer(event);
    return !dropped;
  }

  /** Adds the end of the stream. */
  void end() {
    var unused = offer(ServerSentEvent.END);
  }

  /** Writes events until the end of the stream, or until the reader is dropped. */
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
