package dev.decant.lab.driver.bare;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.Payloads;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The least that a client which sends and waits can need: one thread writes a Produce request that was made beforehand,
 * reads its response, and writes the same request again. All time is that of the socket, the kernel and the broker.
 */
final class RoundTrip extends BareWork {
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;

  private final ByteBuffer request;

  /** The work {@code round-trip}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("round-trip", "one request, from before it is written until its response is read", Topic.WRITTEN,
          spec -> new RoundTrip(spec), Trait.BARE, Trait.ONE_THREAD);
    }
  }

  RoundTrip(WorkSpec spec) {
    super(spec, 1, MOST_RESPONSE_BYTES);
    WorkSpec.Load load = spec.load();
    request = BareMessages.produce(spec.topic(),
        new Payloads(load.payload(), load.recordSizeBytes(), load.seed()).at(0));
  }

  @Override
  long exchange(long records, long deadlineNanos) throws IOException {
    for (long i = 0; i < records; i++) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        return i;
      }
      ProtocolReader response = socket.exchange(request);
      BareMessages.requireStored(response);
      latency.recordValue(Nanos.since(started));
      done.incrementAndGet();
    }
    return records;
  }
}
