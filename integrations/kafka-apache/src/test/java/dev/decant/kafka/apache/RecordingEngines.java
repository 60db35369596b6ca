package dev.decant.kafka.apache;

import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;

/** An application's factory of TLS engines: it records its calls, and delegates to Apache's. */
public final class RecordingEngines implements SslEngineFactory {
  /** Settings that only this class knows: a list for the calls, and whether to fail or to be rebuilt. */
  static final String EVENTS = "recording.events";
  static final String FAILS = "recording.fails";
  static final String CHANGES = "recording.changes";

  private final DefaultSslEngineFactory engines = new DefaultSslEngineFactory();
  private List<String> events = List.of();
  private @Nullable Object changes;

  @Override
  @SuppressWarnings("unchecked") // the test has put it there
  public void configure(Map<String, ?> configs) {
    events = (List<String>) Objects.requireNonNull(configs.get(EVENTS));
    if (configs.get(FAILS) != null) {
      throw new IllegalStateException("no key in the vault");
    }
    changes = configs.get(CHANGES);
    events.add("configured for " + configs.get("client.id") + ", " + configs.get("ssl.enabled.protocols"));
    engines.configure(configs);
  }

  @Override
  public SSLEngine createClientSslEngine(String host, int port, @Nullable String endpointIdentification) {
    events.add("engine " + host + " " + endpointIdentification);
    return engines.createClientSslEngine(host, port, endpointIdentification);
  }

  @Override
  public SSLEngine createServerSslEngine(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
    return changes != null;
  }

  @Override
  public Set<String> reconfigurableConfigs() {
    return Set.of();
  }

  @Override
  public @Nullable KeyStore keystore() {
    return null;
  }

  @Override
  public @Nullable KeyStore truststore() {
    return null;
  }

  @Override
  public void close() {
    events.add("closed");
  }
}
