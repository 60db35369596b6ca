package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.Nanos;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.util.Map;

/**
 * Consumes records as they are written, without a client. One thread writes a fetch to the broker that leads all
 * partitions, reads the whole response, and counts the records of its batches. All time is that of the socket, the
 * kernel and the broker; no record is read, and there is no group.
 */
final class BareTail extends BareWork {
  private final BareFetch session;

  /** The work {@code bare-tail}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-tail", "one fetch that returned records", Topic.FED, spec -> new BareTail(spec), Trait.BARE,
          Trait.ONE_THREAD, Trait.ONE_LEADER);
    }
  }

  BareTail(WorkSpec spec) {
    super(spec, spec.partitions(), BareFetch.mostResponseBytes(spec.partitions()));
    session = new BareFetch(spec.topic(), spec.partitions());
  }

  /**
   * Fetches until there were enough records; the broker holds each fetch back for up to {@link
   * BareFetch#MAX_WAIT_MILLIS}.
   */
  @Override
  long exchange(long records, long deadlineNanos) throws IOException {
    long received = 0;
    long patience = System.nanoTime() + WorkSpec.FEED_PATIENCE.toNanos();
    while (received < records) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        break;
      }
      long came = session.read(socket.exchange(session.request()));
      if (came > 0) {
        latency.recordValue(Nanos.since(started));
        received += came;
        done.lazySet(done.get() + came);
        patience = started + WorkSpec.FEED_PATIENCE.toNanos();
      } else if (started - patience >= 0) {
        throw new IllegalStateException("no record has come for " + WorkSpec.FEED_PATIENCE);
      }
    }
    return received;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    figures.put("records_per_poll", records / (double) latency.getTotalCount());
    super.figures(records, figures);
  }
}
