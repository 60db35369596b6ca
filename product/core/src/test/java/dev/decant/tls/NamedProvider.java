package dev.decant.tls;

import java.security.InvalidAlgorithmParameterException;
import java.security.KeyManagementException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactorySpi;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A security provider for tests: its context is the JDK's, its keys are those of {@link TestCertificate#CLIENT}, and it
 * trusts {@link TestCertificate#AUTHORITY}.
 */
public final class NamedProvider extends Provider {
  private static final long serialVersionUID = 1L;

  public NamedProvider() {
    super("DecantNamed", "1", "for tests");
    Map<String, Class<?>> services = Map.of("SSLContext.DecantTLS", Context.class, "KeyManagerFactory.DecantKeys",
        Keys.class, "TrustManagerFactory.DecantTrust", Trust.class);
    services.forEach((service, type) -> putService(new Service(this, service.substring(0, service.indexOf('.')),
        service.substring(service.indexOf('.') + 1), type.getName(), List.of(), Map.of())));
  }

  public static final class Context extends SSLContextSpi {
    private final SSLContext context;

    public Context() throws NoSuchAlgorithmException {
      context = SSLContext.getInstance("TLS");
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, @Nullable SecureRandom random)
        throws KeyManagementException {
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

  public static final class Keys extends KeyManagerFactorySpi {
    @Override
    protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {}

    @Override
    protected void engineInit(ManagerFactoryParameters spec) throws InvalidAlgorithmParameterException {
      throw new InvalidAlgorithmParameterException();
    }

    @Override
    protected KeyManager[] engineGetKeyManagers() {
      try {
        javax.net.ssl.KeyManagerFactory factory = javax.net.ssl.KeyManagerFactory.getInstance("PKIX");
        factory.init(TestCertificate.CLIENT.keyStore("PKCS12"), TestCertificate.PASSWORD);
        return new KeyManager[] {(X509KeyManager) factory.getKeyManagers()[0]};
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class Trust extends TrustManagerFactorySpi {
    @Override
    protected void engineInit(@Nullable KeyStore store) {}

    @Override
    protected void engineInit(ManagerFactoryParameters spec) throws InvalidAlgorithmParameterException {
      throw new InvalidAlgorithmParameterException();
    }

    @Override
    protected TrustManager[] engineGetTrustManagers() {
      try {
        javax.net.ssl.TrustManagerFactory factory = javax.net.ssl.TrustManagerFactory.getInstance("PKIX");
        factory.init(TestCertificate.AUTHORITY.trustStore("PKCS12"));
        return factory.getTrustManagers();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
