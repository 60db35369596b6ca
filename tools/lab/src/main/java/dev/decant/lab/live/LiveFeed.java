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
 * The events of a run, for any number of readers that come and go. Who comes late gets what still matters of the past
 * first: of a sample that has ended only the sample, of the lines only the last ones. Threads: any.
 */
public final class LiveFeed {
  static final String LINE = "line";
  static final String BEGIN = "start";
  static final String RATE = "rate";
  static final int MOST_READERS = 16;
  static final int MOST_LINES = 200;

  /** Other runs have other ids, so that a page that was left open gets all of the run that it finds at its address. */
  private final String run = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
  private final IntConsumer onReaders;
  // All of these belong to whoever holds the monitor.
  private final List<ServerSentEvent> past = new ArrayList<>();
  private final Set<Reader> readers = new HashSet<>();
  private long published;
  private int lines;
  private boolean ended;

  /**
   * Nothing has happened yet.
   *
   * @param onReaders told how many readers there are when one comes
   */
  public LiveFeed(IntConsumer onReaders) {
    this.onReaders = onReaders;
  }

  /**
   * Something has happened. Never waits.
   *
   * @param type of the event
   * @param turn whose sample it is about; negative if about none
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

  /** A new reader, which begins after the event of an id, or with all; nothing if there are too many already. */
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

  /** Lets the readers go when they have read all, and waits for them, but not for long. */
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
