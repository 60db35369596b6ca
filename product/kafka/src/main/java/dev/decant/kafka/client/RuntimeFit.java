package dev.decant.kafka.client;

import dev.decant.runtime.Finding;
import dev.decant.runtime.RuntimeCheck;
import dev.decant.runtime.Severity;
import dev.decant.runtime.StartupCheck;
import dev.decant.runtime.Workload;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client's part in the runtime check. The JVM bounds direct memory for the whole process. So the pools of all clients
 * count together, including those of clients without a check. Any thread.
 */
final class RuntimeFit implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final AtomicLong DIRECT_BYTES_OF_ALL = new AtomicLong();

  private static final AtomicBoolean SECRET_LOGGED = new AtomicBoolean();

  private final boolean enabled;
  private volatile @Nullable Finding secretInTheClear;
  private final AtomicLong directBytes = new AtomicLong();
  /** The last check; written by the thread that opens a pool. */
  private volatile @Nullable StartupCheck check;

  RuntimeFit(boolean enabled) {
    this.enabled = enabled;
  }

  /**
   * Adds a pool, and starts a check without waiting for it. Batches and responses are not on the heap, so no heap is
   * announced.
   */
  void addDirectMemory(long bytes) {
    directBytes.addAndGet(bytes);
    long all = DIRECT_BYTES_OF_ALL.addAndGet(bytes);
    if (enabled) {
      check = StartupCheck.begin(Workload.NONE.withDirectBytes(all));
    }
  }

  /** Adds the finding that the mechanism sends its secret over connections that are not encrypted. */
  void addSecretInTheClear(String mechanism) {
    if (!enabled) {
      return;
    }
    Finding found = new Finding("sasl.unencrypted", Severity.WARNING, "SASL mechanism " + mechanism
        + " over connections without TLS", "each of them sends the password or token for everybody on the way to read",
        "security.protocol=SASL_SSL, or KafkaClientBuilder.tls");
    secretInTheClear = found;
    if (SECRET_LOGGED.compareAndSet(false, true)) {
      System.getLogger(RuntimeCheck.class.getName()).log(System.Logger.Level.WARNING, found.message());
    }
  }

  void removeDirectMemory(long bytes) {
    directBytes.addAndGet(-bytes);
    DIRECT_BYTES_OF_ALL.addAndGet(-bytes);
  }

  /** Returns the bound of this client's pools in bytes. */
  long directBytes() {
    return directBytes.get();
  }

  List<Finding> findings() {
    StartupCheck last = check;
    return with(last == null ? List.of() : last.findings(PATIENCE));
  }

  /** Returns the findings without waiting: none while a check runs. */
  List<Finding> recentFindings() {
    StartupCheck last = check;
    return with(last == null ? List.of() : last.findings(Duration.ZERO));
  }

  private List<Finding> with(List<Finding> ofTheJvm) {
    Finding secret = secretInTheClear;
    return secret == null ? ofTheJvm : Stream.concat(ofTheJvm.stream(), Stream.of(secret)).toList();
  }

  /** Waits for a running check, so even a short-lived program logs its findings. */
  @Override
  public void close() {
    findings();
    DIRECT_BYTES_OF_ALL.addAndGet(-directBytes.getAndSet(0));
  }
}
