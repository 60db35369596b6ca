package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.Pace;
import dev.decant.lab.driver.StampTimes;
import dev.decant.lab.driver.Stamps;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the way of a record to the broker and back costs without a client. As in {@code EndToEnd}, one thread sends at a
 * rate, and the calling one receives; each has a connection to the broker that leads all partitions. The sender writes
 * a Produce request of one record with {@code acks=1} and reads its response before the next; the records go to the
 * partitions in turn. The receiver has a fetch of all partitions waiting at the broker, and reads the times in each
 * record that comes. All of the rest is the sockets, the kernel and the broker.
 *
 * <p>
 * A third thread looks now and then whether records still come. If they do not, or the sender fails, both connections
 * are closed, which ends whatever waits for them; nothing can be done with this any more then. No thread outlives
 * {@link #run}.
 */
final class BareEndToEnd implements Work {
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  /** How often it is looked whether records still come, before they are given up. */
  private static final int LOOKS = 30;
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;

  private final long ratePerSecond;
  private final Duration lostAfter;
  /** One for each partition. */
  private final BareRecord[] requests;
  private final StampTimes received = new StampTimes();
  private final BareFetch session;
  private final BareSocket sending;
  private final BareSocket fetching;
  // Written by the sender: how many are stored in this run, and how many there will be; negative until it knows.
  private volatile long stored;
  private volatile long sent;
  // The first thing that went wrong on one of the other threads; written before the connections are closed for it.
  private volatile @Nullable IllegalStateException failure;

  /** The work {@code bare-end-to-end}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-end-to-end", "the moment a record was due to be sent until it was received", Topic.WRITTEN,
          spec -> new BareEndToEnd(spec), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER, Trait.RATED);
    }
  }

  BareEndToEnd(WorkSpec spec) {
    this(spec, LOST_AFTER);
  }

  /**
   * Connects to the broker.
   *
   * @param spec what to do
   * @param lostAfter how long no record may come until those that are missing are lost
   */
  BareEndToEnd(WorkSpec spec, Duration lostAfter) {
    this.lostAfter = lostAfter;
    ratePerSecond = spec.load().ratePerSecond();
    int partitions = spec.partitions();
    requests = new BareRecord[partitions];
    for (int p = 0; p < partitions; p++) {
      requests[p] = new BareRecord(spec.topic(), p, Math.max(Stamps.BYTES, spec.load().recordSizeBytes()));
    }
    session = new BareFetch(spec.topic(), partitions, new BareStamps(received));
    sending = BareSocket.toLeader(spec, partitions, MOST_RESPONSE_BYTES);
    try {
      fetching = BareSocket.toLeader(spec, partitions, BareFetch.mostResponseBytes(partitions));
    } catch (RuntimeException e) {
      sending.close();
      throw e;
    }
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException, IOException {
    long first = received.count();
    stored = 0;
    sent = -1;
    Thread sender = Thread.ofPlatform().name("sender").daemon(true).start(() -> send(records, deadlineNanos));
    Thread watch = Thread.ofPlatform().name("watch").daemon(true).start(() -> watch(first));
    try {
      while (sent < 0 || received.count() - first < sent) {
        session.read(fetching.exchange(session.request()));
      }
      sender.join(); // which has the last response to read
    } catch (IOException e) {
      checkOthers(); // they close the connections, which is not what has gone wrong
      throw e;
    } finally {
      sender.interrupt();
      watch.interrupt();
      sender.join();
      watch.join();
    }
    checkOthers();
    return sent;
  }

  private void checkOthers() {
    IllegalStateException cause = failure;
    if (cause != null) {
      throw cause;
    }
  }

  private void send(long records, long deadlineNanos) {
    Pace pace = new Pace(ratePerSecond);
    try {
      long number = 0;
      boolean more = isWanted(pace, number, records, deadlineNanos);
      while (more) {
        long due = pace.awaitExactly(number);
        BareRecord request = requests[(int) (number % requests.length)];
        more = isWanted(pace, ++number, records, deadlineNanos);
        if (!more) {
          sent = number; // before the last one can be received, so that nobody waits for another one
        }
        BareMessages.requireStored(sending.exchange(request.stamped(due, System.nanoTime())), request.partition());
        stored = number;
      }
      sent = number;
    } catch (Exception e) {
      fail(new IllegalStateException("the sender failed: " + e.getMessage(), e));
    }
  }

  private boolean isWanted(Pace pace, long number, long records, long deadlineNanos) {
    long due = ratePerSecond == 0 ? System.nanoTime() : pace.due(number);
    return number < records && due - deadlineNanos < 0;
  }

  private void watch(long first) {
    long seen = received.count();
    long since = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(lostAfter.toNanos() / LOOKS);
      long now = System.nanoTime();
      if (received.count() != seen) {
        seen = received.count();
        since = now;
      } else if (now - since >= lostAfter.toNanos()) {
        fail(new IllegalStateException(seen - first + " of " + stored + " records that are stored were received, and "
            + "none for " + lostAfter));
        return;
      }
    }
  }

  /** Tells what is wrong, and then ends whatever waits. */
  private synchronized void fail(IllegalStateException cause) {
    if (failure == null) {
      failure = cause;
    }
    close();
  }

  @Override
  public long progress() {
    return received.count();
  }

  @Override
  public long checksum() {
    return received.count();
  }

  @Override
  public Histogram latency() {
    return received.latency();
  }

  @Override
  public void begin() {
    received.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    received.figures(figures);
  }

  @Override
  public void close() {
    sending.close();
    fetching.close();
  }
}
