package dev.decant.flink;

import dev.decant.kafka.apache.DecantProducer;
import java.time.Duration;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends producers that the sink needs no more. */
final class Producers {
  private static final Logger LOGGER = LoggerFactory.getLogger(Producers.class);

  private Producers() {}

  /** Drops what was not flushed, and throws nothing. A thread that is interrupted stays so. */
  static void close(DecantProducer<?, ?> producer) {
    try {
      producer.close(Duration.ZERO);
    } catch (InterruptException e) {
      LOGGER.debug("The subtask was interrupted, and did not wait for the end of its producer", e);
    } catch (RuntimeException e) {
      LOGGER.warn("A producer of the sink was closed, and not in good order", e);
    }
  }
}
