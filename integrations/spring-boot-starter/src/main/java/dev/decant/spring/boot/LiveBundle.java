package dev.decant.spring.boot;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

/** An SSL bundle as it is registered at the moment. Any thread. */
final class LiveBundle implements SslBundle {
  private final SslBundle first;
  private volatile SslBundle current;

  LiveBundle(SslBundle first) {
    this.first = first;
    this.current = first;
  }

  /** Connections that are made from now on have the keys and the trust of this one. */
  void replace(SslBundle changed) {
    current = changed;
  }

  /** Settings that Boot has made later have the changed bundle. */
  boolean isMadeOf(SslBundle bundle) {
    return bundle.equals(this) || bundle.equals(first) || bundle.equals(current);
  }

  @Override
  public SslStoreBundle getStores() {
    return current.getStores();
  }

  @Override
  public SslBundleKey getKey() {
    return current.getKey();
  }

  @Override
  public SslOptions getOptions() {
    return current.getOptions();
  }

  @Override
  public String getProtocol() {
    return current.getProtocol();
  }

  @Override
  public SslManagerBundle getManagers() {
    return current.getManagers();
  }
}
