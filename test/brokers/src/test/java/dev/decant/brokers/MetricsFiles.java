package dev.decant.brokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;

/**
 * A broker's metrics reporter that puts the metrics of each push into a file of its own. It comes to the broker's class
 * path as an agent that does nothing. Loaded by brokers only.
 */
@SuppressWarnings("removal") // the interfaces that follow (KIP-1286) are in no broker that the tests start
public final class MetricsFiles implements MetricsReporter, ClientTelemetry, ClientTelemetryReceiver {
  static final String DIRECTORY = "decant.test.metrics";

  private final AtomicInteger pushes = new AtomicInteger();

  /** Called by the broker's JVM, which appends the agent's jar to its class path. */
  public static void premain(String arguments, Instrumentation instrumentation) {}

  @Override
  public ClientTelemetryReceiver clientReceiver() {
    return this;
  }

  @Override
  public void exportMetrics(AuthorizableRequestContext context, ClientTelemetryPayload payload) {
    ByteBuffer data = payload.data().duplicate();
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    Path directory = Path.of(System.getProperty(DIRECTORY));
    String name = "%06d,%s,%s,%s".formatted(pushes.incrementAndGet(), context.clientId(), payload.clientInstanceId(),
        payload.isTerminating());
    try {
      Path written = Files.write(directory.resolve("." + name), bytes);
      Files.move(written, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void init(List<KafkaMetric> metrics) {}

  @Override
  public void metricChange(KafkaMetric metric) {}

  @Override
  public void metricRemoval(KafkaMetric metric) {}

  @Override
  public void configure(Map<String, ?> configs) {}

  @Override
  public void close() {}
}
