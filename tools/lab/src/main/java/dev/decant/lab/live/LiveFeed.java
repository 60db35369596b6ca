package dev.decant.lab.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a run, for any number of readers that come and go. A late reader first receives the part of the past
 * that still matters: the result of each sample that has ended, and the last lines. Any thread.
 */
public final class LiveFeed {
  static final String LINE = "line";
  static final String BEGIN = "start";
  static final String RATE = "rate";
  static final int MOST_READERS = 16;
  static final int MOST_LINES = 200;

  /**
   * Id of the run. It differs from run to run, so that a page that stayed open receives all events of the next run at
   * its address.
   */
  private final String run = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
  private final IntConsumer onReaders;
  // The fields below are guarded by the monitor.
  private final List<ServerSentEvent> past = new ArrayList<>();
  private final Set<Reader> readers = new HashSet<>();
  private long published;
  private int lines;
  private boolean ended;

  /**
   * Starts without events.
   *
   * @param onReaders takes the number of readers when one comes
   */
  public LiveFeed(IntConsumer onReaders) {
    this.onReaders = onReaders;
  }

  /**
   * Publishes an event. Never waits.
   *
   * @param type type of the event
   * @param turn turn whose sample the event is about; negative for none
   * @param data JSON
   */
  public synchronized void publish(String type, int turn, String data) {
    ServerSentEvent event = ServerSentEvent.of(run, ++published, type, turn, data);
    forgetWhatIsPast(event);
    past.add(event);
    readers.removeIf(reader -> !reader.offer(event));
    notifyAll();
  }

  private void forgetWhatIsPast(ServerSentEvent event) {
    if (event.type().equals(LINE) && ++lines > MOST_LINES) {
      past.stream().filter(other -> other.type().equals(LINE)).findFirst().ifPresent(past::remove);
    }
    if (event.turn() >= 0 && !event.type().equals(RATE)) {
      past.removeIf(other -> other.turn() == event.turn() && Set.of(BEGIN, RATE).contains(other.type()));
    }
  }

  /** Adds a reader, which begins after the event of an id, or with all; returns null if there are too many already. */
  @Nullable
  Reader subscribe(String lastId) {
    Reader reader;
    int count;
    synchronized (this) {
      if (readers.size() == MOST_READERS) {
        return null;
      }
      long seen = ServerSentEvent.numberOf(run, lastId);
      reader = new Reader(past.stream().filter(event -> event.number() > seen).toList());
      readers.add(reader);
      count = readers.size();
      if (ended) {
        reader.end();
      }
    }
    onReaders.accept(count);
    return reader;
  }

  synchronized void unsubscribe(Reader reader) {
    readers.remove(reader);
    notifyAll();
  }

  synchronized int readers() {
    return readers.size();
  }

  /** Ends the feed: each reader stops after the last event. Waits for the readers up to the given time. */
  synchronized void end(Duration patience) {
    ended = true;
    readers.forEach(Reader::end);
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      for (long left = patience.toNanos(); left > 0 && !readers.isEmpty(); left = deadline - System.nanoTime()) {
        wait(Duration.ofNanos(left).toMillis() + 1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
