package dev.decant.kafka.apache;

import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.apache.kafka.common.security.auth.SecurityProviderCreator;
import org.jspecify.annotations.Nullable;

/** A security provider whose contexts are the JDK's, and which records the engines that they make. */
public final class RecordingProvider extends Provider {
  static final String NAME = "DecantRecording";
  static final List<String> MADE = new CopyOnWriteArrayList<>();
  private static final long serialVersionUID = 1L;

  RecordingProvider() {
    super(NAME, "1", "for tests");
    putService(new Service(this, "SSLContext", "RecordingTLS", Context.class.getName(), List.of(), Map.of()));
  }

  /** The class that security.providers names. */
  public static final class Creator implements SecurityProviderCreator {
    private @Nullable Object clientId;

    /** Apache's client makes the provider. */
    public Creator() {}

    @Override
    public void configure(Map<String, ?> configs) {
      clientId = configs.get("client.id");
    }

    @Override
    public Provider getProvider() {
      MADE.add("provider for " + clientId);
      return new RecordingProvider();
    }
  }

  /** The JDK's context. */
  public static final class Context extends SSLContextSpi {
    private final SSLContext context;

    /** The JDK makes the context. */
    public Context() throws NoSuchAlgorithmException {
      context = SSLContext.getInstance("TLS");
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, @Nullable SecureRandom random)
        throws KeyManagementException {
      MADE.add("context with " + (random == null ? "the JDK's random" : random.getAlgorithm()));
      context.init(keys, trust, random);
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      return context.getSocketFactory();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      return context.getServerSocketFactory();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return context.createSSLEngine();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      MADE.add("engine");
      return context.createSSLEngine(host, port);
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return context.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return context.getClientSessionContext();
    }
  }
}
