package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;

/**
 * What sending without waiting costs without a client: one thread writes records into one batch for each partition,
 * compresses and seals them, and writes all in one request to the broker that leads all partitions. While
 * the broker works on it, the next one is filled. Nobody hands a record to another thread, there are no callbacks, no
 * retries and no identity, and nothing waits for more records.
 */
final class BareProduce extends BareWork {
  private final BareBatches batches;
  /** Used in turns. */
  private final BareBatches.Request[] requests = new BareBatches.Request[BareSocket.MOST_ON_THE_WAY];
  private final long[] startedNanos = new long[BareSocket.MOST_ON_THE_WAY];
  /** Number of the next request to write, and of the next one to be answered. */
  private long next;
  private long awaited;

  /** The work {@code bare-produce}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-produce", "one request, from before it is written until its response is read", Topic.WRITTEN,
          spec -> new BareProduce(spec), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER);
    }
  }

  BareProduce(WorkSpec spec) {
    this(spec, new BareBatches(spec));
  }

  private BareProduce(WorkSpec spec, BareBatches batches) {
    super(spec, spec.partitions(), batches.mostResponseBytes());
    this.batches = batches;
    for (int i = 0; i < requests.length; i++) {
      requests[i] = batches.request();
    }
  }

  /** Waits until all that were sent are stored. */
  @Override
  long exchange(long records, long deadlineNanos) throws IOException {
    long sent = 0;
    while (sent < records && System.nanoTime() - deadlineNanos < 0) {
      sent += fillAndWrite(records - sent);
      if (socket.onTheWay() == BareSocket.MOST_ON_THE_WAY) {
        awaitResponse();
      }
    }
    while (socket.onTheWay() > 0) {
      awaitResponse();
    }
    return sent;
  }

  private int fillAndWrite(long most) throws IOException {
    int slot = slot(next++);
    BareBatches.Request request = requests[slot];
    batches.fill(request, most);
    startedNanos[slot] = System.nanoTime();
    socket.write(request.frame());
    return request.records();
  }

  private void awaitResponse() throws IOException {
    int slot = slot(awaited++);
    BareBatches.Request request = requests[slot];
    batches.requireStored(request, socket.read());
    latency.recordValue(Nanos.since(startedNanos[slot]));
    done.lazySet(done.get() + request.records());
  }

  private static int slot(long number) {
    return (int) (number % BareSocket.MOST_ON_THE_WAY);
  }

  @Override
  public void close() {
    batches.close();
    super.close();
  }
}
