package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;

/**
 * Sends without waiting and without a client. One thread writes records into one batch for each partition, compresses
 * and seals the batches, and writes all of them in one request to the broker that leads all partitions. It fills the
 * next request while the broker works on this one. No record changes threads; there are no callbacks, no retries, no
 * producer id, and no linger.
 */
final class BareProduce extends BareWork {
  private final BareBatches batches;
  /** The requests, used in turns: one may be filled while the others are in flight. */
  private final BareBatches.Request[] requests = new BareBatches.Request[BareSocket.MAX_IN_FLIGHT];
  private final long[] startedNanos = new long[BareSocket.MAX_IN_FLIGHT];
  /** Numbers of the next request to write and of the next response to read. */
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

  /** Sends until the records or the time are used up, then waits until all records are stored. */
  @Override
  long exchange(long records, long deadlineNanos) throws IOException {
    long sent = 0;
    while (sent < records && System.nanoTime() - deadlineNanos < 0) {
      sent += fillAndWrite(records - sent);
      if (socket.inFlight() == BareSocket.MAX_IN_FLIGHT) {
        awaitResponse();
      }
    }
    while (socket.inFlight() > 0) {
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
    return (int) (number % BareSocket.MAX_IN_FLIGHT);
  }

  @Override
  public void close() {
    batches.close();
    super.close();
  }
}
