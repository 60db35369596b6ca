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
 * Sends records to the broker and receives them without a client. As in {@code EndToEnd}, one thread sends at a rate,
 * and the calling thread receives; each has a connection to the broker that leads all partitions. The sender writes a
 * Produce request of one record with {@code acks=1} and reads its response before it sends the next; the partitions
 * take turns. The receiver keeps a fetch of all partitions at the broker, and reads the times in each record that
 * arrives. All remaining time is that of the sockets, the kernel and the broker.
 *
 * <p>A third thread checks that records still arrive. If none has arrived for the time limit, or the sender fails, it
 * closes both connections, which ends every read and write on them. The work cannot run again then. No thread outlives
 * {@link #run}.
 */
final class BareEndToEnd implements Work {
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  /** Number of checks within the time limit for an arriving record. */
  private static final int LOOKS = 30;
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;

  private final long ratePerSecond;
  private final Duration lostAfter;
  /** The request of each partition. */
  private final BareRecord[] requests;
  private final StampTimes received = new StampTimes();
  private final BareFetch session;
  private final BareSocket sending;
  private final BareSocket fetching;
  // Number of records that are stored in this run, and the final number, negative until the sender knows it. Written by
  // the sender only.
  private volatile long stored;
  private volatile long sent;
  // The first failure of the sender or of the watch. Written before the connections are closed, so that the receiver,
  // whose read then fails, reports this cause.
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
   * @param lostAfter time without a record after which the missing ones count as lost
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
      sender.join(); // the sender still reads its last response
    } catch (IOException e) {
      // the other threads close the connections, so the exception here is only the consequence of their failure
      checkOthers();
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
          sent = number; // before the last record can arrive: the receiver would wait for one more otherwise
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

  /** Records the first failure, then closes both connections, which ends the reads and writes on them. */
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
