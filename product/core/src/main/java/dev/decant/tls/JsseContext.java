package dev.decant.tls;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Makes an SSLContext from stores, by the provider and algorithms of the settings, or else the JDK's defaults. */
final class JsseContext {
  private final TlsSettings settings;

  JsseContext(TlsSettings settings) {
    this.settings = settings;
  }

  /**
   * Makes the context.
   *
   * @param keys null for none
   * @param keyPassword password of the keys
   * @param trust null for the JVM's trusted certificates
   */
  SSLContext make(@Nullable KeyStore keys, char[] keyPassword, @Nullable KeyStore trust)
      throws GeneralSecurityException, TlsKeyException {
    SSLContext context = context();
    context.init(keyManagers(keys, keyPassword), trustManagers(trust), settings.secureRandom());
    return context;
  }

  private SSLContext context() throws TlsKeyException {
    String protocol = settings.contextProtocol();
    String provider = settings.provider();
    try {
      return provider.isEmpty() ? SSLContext.getInstance(protocol) : SSLContext.getInstance(protocol, provider);
    } catch (NoSuchProviderException e) {
      throw new TlsKeyException("security provider " + provider + " is not registered with the JVM; registered are "
          + Arrays.stream(Security.getProviders()).map(Provider::getName).collect(Collectors.joining(", ")), e);
    } catch (NoSuchAlgorithmException e) {
      throw new TlsKeyException((provider.isEmpty() ? "no security provider" : "security provider " + provider)
          + (provider.isEmpty() ? " has" : " does not have") + " an SSLContext of protocol " + protocol, e);
    }
  }

  /**
   * Makes key managers even without a store if the settings name an algorithm: its factory may have keys of its own.
   */
  private KeyManager[] keyManagers(@Nullable KeyStore store, char[] password)
      throws GeneralSecurityException, TlsKeyException {
    String algorithm = settings.keyManagerAlgorithm();
    if (store == null && algorithm.isEmpty()) {
      return new KeyManager[0];
    }
    KeyManagerFactory factory;
    try {
      factory = KeyManagerFactory
          .getInstance(algorithm.isEmpty() ? KeyManagerFactory.getDefaultAlgorithm() : algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw unknown("KeyManagerFactory", algorithm, e);
    }
    factory.init(store, store == null ? null : password);
    return factory.getKeyManagers();
  }

  private TrustManager[] trustManagers(@Nullable KeyStore store) throws GeneralSecurityException, TlsKeyException {
    String algorithm = settings.trustManagerAlgorithm();
    TrustManagerFactory factory;
    try {
      factory = TrustManagerFactory
          .getInstance(algorithm.isEmpty() ? TrustManagerFactory.getDefaultAlgorithm() : algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw unknown("TrustManagerFactory", algorithm, e);
    }
    factory.init(store);
    TrustManager[] managers = factory.getTrustManagers();
    for (int i = 0; i < managers.length; i++) {
      if (managers[i] instanceof X509ExtendedTrustManager extended) {
        managers[i] = new DiagnosingTrustManager(extended);
      }
    }
    return managers;
  }

  private static TlsKeyException unknown(String service, String algorithm, NoSuchAlgorithmException cause) {
    return new TlsKeyException("no security provider has a " + service + " of algorithm " + algorithm
        + "; there are " + String.join(", ", Security.getAlgorithms(service)), cause);
  }
}
