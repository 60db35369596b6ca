package dev.decant.kafka.client;

import dev.decant.buffer.BufferPool;
import dev.decant.event.Registration;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.telemetry.ErrorFunnel;
import dev.decant.loop.EventLoop;
import dev.decant.net.tls.TlsMemory;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsListener;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * TLS of one client: its memory, and its reaction to changed keys. The client watches the key files of its own context;
 * the owner of a shared context decides when to read them. Any thread.
 */
final class ClientTls implements TlsListener, AutoCloseable {
  private static final Duration WATCH_INTERVAL = Duration.ofMinutes(1);

  private final TlsContext context;
  private final EventLoop loop;
  private final ErrorFunnel errors;
  private final BufferPool pool;
  private final TlsMemory memory;
  private final List<Registration> registrations = new ArrayList<>();
  /** Replaces connections with old keys. Written once, before the listener is added. */
  private volatile Runnable onReplaced = () -> {};

  ClientTls(TlsContext context, EventLoop loop, ErrorFunnel errors, long memoryBytes) {
    this.context = context;
    this.loop = loop;
    this.errors = errors;
    this.pool = new BufferPool(memoryBytes, TlsMemory.CONNECTION_BYTES);
    this.memory = new TlsMemory(loop, pool);
  }

  /** Reads keys and certificates. */
  static TlsContext load(TlsSettings settings) {
    try {
      return TlsContext.load(settings);
    } catch (TlsKeyException e) {
      throw new IllegalArgumentException("tls: " + e.getMessage(), e);
    }
  }

  void start(Cluster cluster, boolean watchesFiles) {
    onReplaced = cluster::onKeysReplaced;
    registrations.add(context.addListener(this));
    if (watchesFiles) {
      registrations.add(context.watchFiles(WATCH_INTERVAL));
    }
  }

  TlsContext context() {
    return context;
  }

  TlsMemory memory() {
    return memory;
  }

  @Override
  public void onKeysReplaced(int generation) {
    loop.execute(onReplaced);
  }

  @Override
  public void onKeysRefused(IOException cause) {
    errors.report(ErrorKind.KEYS_REFUSED, "tls", cause);
  }

  @Override
  public void onKeysExpire(Instant notAfter, long daysLeft) {
    errors.report(ErrorKind.CERTIFICATE_EXPIRES, "tls", new TlsKeyException("the client's certificate "
        + (daysLeft < 0 ? "has expired at " : "expires in " + daysLeft + " days, at ") + notAfter, null));
  }

  /** Stops the watch of key files. The client takes no new keys. */
  void stop() {
    registrations.forEach(Registration::close);
  }

  /** Frees the memory, after the loop has ended. */
  @Override
  public void close() {
    pool.close();
  }
}
