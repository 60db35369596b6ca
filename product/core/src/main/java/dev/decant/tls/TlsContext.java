package dev.decant.tls;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.event.Registration;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Keys and trusted certificates, read and checked, for any number of connections. {@link #reload()} reads changed
 * files; if these cannot be used, the earlier keys stay. Connections keep the keys that they began with. A user that
 * needs new keys on a connection replaces it when its generation differs from {@link #generation()}.
 *
 * <p>Any thread.
 */
public final class TlsContext {
  private static final System.Logger LOG = System.getLogger(TlsContext.class.getName());
  /** How many days before its end a certificate is first reported. */
  private static final long REPORTED_DAYS = 30;

  /**
   * The current SSLContext and its data; replaced as a whole. Without a context the user's factory makes the engines.
   */
  private record Loaded(@Nullable SSLContext context, @Nullable Instant notAfter, String digest, int generation) {}

  private final TlsSettings settings;
  private final Listeners<TlsListener> listeners = new Listeners<>(TlsListener.class);
  private final Event<TlsListener> keysReplaced = listeners.event("onKeysReplaced");
  private final Event<TlsListener> keysRefused = listeners.event("onKeysRefused");
  private final Event<TlsListener> keysExpire = listeners.event("onKeysExpire");

  /**
   * Held while files are read. It is no monitor: on Java 21 a virtual thread that waits for a monitor blocks its
   * carrier.
   */
  private final ReentrantLock reloading = new ReentrantLock();
  private volatile Loaded loaded;
  /** Digest of the files that were refused last, or the factory's message; guarded by reloading. */
  private String refusedDigest = "";
  private long reportedDays = Long.MAX_VALUE; // guarded by reloading

  private TlsContext(TlsSettings settings) throws TlsKeyException {
    this.settings = settings;
    this.loaded = load(readFiles(), 1);
    if (settings.engines() == null) {
      requireCipherSuites();
    }
  }

  /**
   * Reads keys and certificates.
   *
   * @param settings name the sources
   * @return the context
   * @throws TlsKeyException if they cannot be used; the message names the source and the problem
   * @throws IllegalArgumentException if the JDK does not have a cipher suite of the settings
   */
  public static TlsContext load(TlsSettings settings) throws TlsKeyException {
    return new TlsContext(settings);
  }

  private void requireCipherSuites() {
    Set<String> known = new TreeSet<>(List.of(sslContext().getSupportedSSLParameters().getCipherSuites()));
    for (String suite : settings.cipherSuites()) {
      if (!known.contains(suite)) {
        throw new IllegalArgumentException("cipher suite " + suite + " is none of this JDK's, which are " + known);
      }
    }
  }

  /** Returns the files of the keys and of the trusted certificates, in this order. */
  private List<Path> files() {
    List<Path> files = new ArrayList<>();
    KeySource keys = settings.keys();
    if (settings.sslContext() == null && settings.engines() == null) {
      if (keys != null) {
        files.addAll(keys.files);
      }
      files.addAll(settings.trust().files);
    }
    return files;
  }

  private List<byte[]> readFiles() throws TlsKeyException {
    List<byte[]> contents = new ArrayList<>();
    for (Path file : files()) {
      try {
        contents.add(Files.readAllBytes(file));
      } catch (NoSuchFileException e) {
        throw new TlsKeyException("file " + file + " does not exist", e);
      } catch (IOException e) {
        throw new TlsKeyException("file " + file + " cannot be read: " + FailureKinds.oneLine(e), e);
      }
    }
    return contents;
  }

  private Loaded load(List<byte[]> contents, int generation) throws TlsKeyException {
    TlsEngineFactory engines = settings.engines();
    if (engines != null) {
      return new Loaded(null, engines.notAfter(), "", generation);
    }
    SSLContext users = settings.sslContext();
    if (users != null) {
      return new Loaded(users, null, "", generation);
    }
    KeySource keys = settings.keys();
    int keyFiles = keys == null ? 0 : keys.files.size();
    try {
      KeyStore keyStore = keys == null ? null : keys.read(contents.subList(0, keyFiles));
      KeyStore trustStore = settings.trust().read(contents.subList(keyFiles, contents.size()));
      SSLContext context = new JsseContext(settings).make(keyStore, keys == null ? new char[0] : keys.keyPassword,
          trustStore);
      return new Loaded(context, keyStore == null ? null : notAfter(keyStore), digest(contents), generation);
    } catch (TlsKeyException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      throw new TlsKeyException("keys or trusted certificates cannot be used: " + FailureKinds.oneLine(e), e);
    } finally {
      contents.forEach(content -> Arrays.fill(content, (byte) 0)); // the content may include a private key
    }
  }

  private static @Nullable Instant notAfter(KeyStore store) throws GeneralSecurityException {
    Instant earliest = null;
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        Instant notAfter = Certificates.notAfter(store.getCertificateChain(alias));
        earliest = earliest == null || (notAfter != null && notAfter.isBefore(earliest)) ? notAfter : earliest;
      }
    }
    return earliest;
  }

  private static String digest(List<byte[]> contents) throws GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (byte[] content : contents) {
      digest.update(MessageDigest.getInstance("SHA-256").digest(content));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Makes the engine of a client. It verifies the host name unless the settings disable that, and sends the host by its
   * name (SNI, not for an address). It resumes a session with the same host and port if there is one. The engine of a
   * {@link TlsSettings.Builder#engines factory} is returned unchanged.
   *
   * @param host name or address, as the user has written it
   * @param port of the peer
   * @return an engine that has not begun
   */
  public SSLEngine clientEngine(String host, int port) {
    String name = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    TlsEngineFactory engines = settings.engines();
    if (engines != null) {
      return engines.clientEngine(name, port);
    }
    SSLEngine engine = sslContext().createSSLEngine(name, port);
    engine.setUseClientMode(true);
    SSLParameters parameters = parameters(engine);
    if (settings.verifiesHostName()) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    SNIHostName serverName = serverName(name);
    if (serverName != null) {
      parameters.setServerNames(List.of(serverName));
    }
    engine.setSSLParameters(parameters);
    return engine;
  }

  /**
   * Returns the name to send in SNI, or null. The JDK sends no name without a dot, although RFC 6066, section 3 allows
   * it.
   */
  private static @Nullable SNIHostName serverName(String host) {
    if (host.contains(":") || host.matches("[0-9.]+")) {
      return null; // SNI takes no addresses
    }
    try {
      return new SNIHostName(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
    } catch (IllegalArgumentException e) {
      return null; // no valid host name, for example one with an underscore, which may resolve
    }
  }

  /**
   * Makes the engine of a server, which asks for client certificates as the settings say.
   *
   * @return an engine that has not begun
   */
  public SSLEngine serverEngine() {
    TlsEngineFactory engines = settings.engines();
    if (engines != null) {
      return engines.serverEngine();
    }
    SSLEngine engine = sslContext().createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters parameters = parameters(engine);
    switch (settings.clientCertificates()) {
      case NONE -> parameters.setWantClientAuth(false);
      case WANTED -> parameters.setWantClientAuth(true);
      case NEEDED -> parameters.setNeedClientAuth(true);
    }
    engine.setSSLParameters(parameters);
    return engine;
  }

  private SSLParameters parameters(SSLEngine engine) {
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(settings.protocols().toArray(String[]::new));
    if (!settings.cipherSuites().isEmpty()) {
      parameters.setCipherSuites(settings.cipherSuites().toArray(String[]::new));
    }
    if (!settings.applicationProtocols().isEmpty()) {
      parameters.setApplicationProtocols(settings.applicationProtocols().toArray(String[]::new));
    }
    return parameters;
  }

  /**
   * Returns the current keys and certificates for other clients of the JDK, such as its HTTP client. The result does
   * not follow a later {@link #reload}. It does not include protocol versions, cipher suites and the check of host
   * names.
   *
   * @return a context
   * @throws IllegalStateException if a {@link TlsSettings.Builder#engines factory} makes the engines
   */
  public SSLContext sslContext() {
    SSLContext context = loaded.context;
    if (context == null) {
      throw new IllegalStateException(settings.engines() + " makes engines, which no other client can take; give that"
          + " client keys and trust, or an SSLContext");
    }
    return context;
  }

  /**
   * Returns true if making an engine runs the user's code, which may block.
   *
   * @return true with a {@link TlsSettings.Builder#engines factory}
   */
  public boolean engineCreationMayBlock() {
    return settings.engines() != null;
  }

  /**
   * Returns the settings given to {@link #load}.
   *
   * @return the settings
   */
  public TlsSettings settings() {
    return settings;
  }

  /**
   * Returns the generation of the keys that new connections get: 1 at first, one more with each replacement.
   *
   * @return the generation
   */
  public int generation() {
    return loaded.generation;
  }

  /**
   * Returns when this side's certificate expires, or one of its chain before it.
   *
   * @return null without a certificate, and for a context given by the user
   */
  public @Nullable Instant notAfter() {
    return loaded.notAfter;
  }

  /**
   * Returns for how many whole days this side's certificate is valid, by the machine's clock.
   *
   * @return negative when it has expired; empty without a certificate
   */
  public OptionalLong daysToExpiry() {
    return daysToExpiry(Certificates.now());
  }

  OptionalLong daysToExpiry(Instant now) {
    Instant notAfter = loaded.notAfter;
    return notAfter == null
        ? OptionalLong.empty()
        : OptionalLong.of(Math.floorDiv(Duration.between(now, notAfter).toSeconds(), 24 * 60 * 60));
  }

  /**
   * Reads the files, or calls the factory of engines, and uses changed keys for new connections. Keys that cannot be
   * used are reported to the listeners (logged, if there is none) and change nothing. A certificate that expires soon
   * is reported, too.
   *
   * @return true if new keys are in use now
   */
  public boolean reload() {
    int replaced = 0;
    IOException refused = null;
    reloading.lock();
    try {
      TlsEngineFactory engines = settings.engines();
      boolean isReplaced = engines == null ? reloadFiles() : reloadFactory(engines);
      replaced = isReplaced ? loaded.generation : 0;
    } catch (IOException e) {
      refused = e;
    } finally {
      reloading.unlock();
    }
    report(replaced, refused);
    return replaced > 0;
  }

  /** Reloads with the lock held. An error is thrown once for each content; for unreadable files, each time. */
  private boolean reloadFiles() throws TlsKeyException {
    String digest = "";
    try {
      List<byte[]> contents = readFiles();
      digest = digest(contents);
      Loaded before = loaded;
      if (settings.sslContext() != null || digest.equals(before.digest) || digest.equals(refusedDigest)) {
        refusedDigest = digest.equals(before.digest) ? "" : refusedDigest;
        return false;
      }
      take(load(contents, before.generation + 1));
      return true;
    } catch (TlsKeyException e) {
      refusedDigest = digest;
      throw e;
    } catch (GeneralSecurityException e) {
      throw new TlsKeyException("keys or trusted certificates cannot be used: " + FailureKinds.oneLine(e), e);
    }
  }

  /** Reloads with the lock held. An error is thrown once as long as its message stays the same. */
  private boolean reloadFactory(TlsEngineFactory engines) throws TlsKeyException {
    try {
      if (!engines.reload()) {
        refusedDigest = "";
        return false;
      }
      take(load(List.of(), loaded.generation + 1));
      return true;
    } catch (IOException | RuntimeException | LinkageError e) {
      // A factory that lacked a class once ended the thread that watches the files.
      String message = FailureKinds.oneLine(e);
      if (message.equals(refusedDigest)) {
        return false;
      }
      refusedDigest = message;
      throw new TlsKeyException("engines with changed keys cannot be made: " + message, e);
    }
  }

  private void take(Loaded changed) {
    loaded = changed;
    refusedDigest = "";
    reportedDays = Long.MAX_VALUE;
  }

  private void report(int replaced, @Nullable IOException refused) {
    if (replaced > 0) {
      for (TlsListener listener : of(keysReplaced)) {
        safely(() -> listener.onKeysReplaced(replaced));
      }
    }
    if (refused != null) {
      TlsListener[] receivers = of(keysRefused);
      if (receivers.length == 0) {
        LOG.log(System.Logger.Level.WARNING, "changed keys are not used: {0}", refused.getMessage());
      }
      for (TlsListener listener : receivers) {
        safely(() -> listener.onKeysRefused(refused));
      }
    }
    reportExpiry(Certificates.now());
  }

  /** Reports a certificate that expires soon, once for each number of days. */
  void reportExpiry(Instant now) {
    Instant notAfter = loaded.notAfter;
    long days = daysToExpiry(now).orElse(Long.MAX_VALUE);
    reloading.lock();
    try {
      if (notAfter == null || days > REPORTED_DAYS || days == reportedDays) {
        return;
      }
      reportedDays = days;
    } finally {
      reloading.unlock();
    }
    for (TlsListener listener : of(keysExpire)) {
      safely(() -> listener.onKeysExpire(notAfter, days));
    }
  }

  private static TlsListener[] of(Event<TlsListener> event) {
    TlsListener[] receivers = event.listeners();
    return receivers == null ? new TlsListener[0] : receivers;
  }

  private static void safely(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) { // the other listeners must still be called
      LOG.log(System.Logger.Level.ERROR, "a listener of TLS keys failed", e);
    }
  }

  /**
   * Adds a listener.
   *
   * @param listener called for changed keys
   * @return the registration, which removes the listener
   */
  public Registration addListener(TlsListener listener) {
    return listeners.add(listener);
  }

  /**
   * Checks the files at intervals as {@link #reload()} does, on a virtual thread.
   *
   * @param interval between two checks
   * @return ends the checks
   * @throws IllegalArgumentException if the interval is not positive
   */
  public Registration watchFiles(Duration interval) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("interval: " + interval + " is not positive");
    }
    CountDownLatch closed = new CountDownLatch(1);
    Thread.ofVirtual().name("tls-keys").start(() -> watch(closed, Timeouts.nanos(interval)));
    return closed::countDown;
  }

  /**
   * Checks the files until it is signalled to end. It does not end by an interrupt, which could break off a read of the
   * files.
   */
  private void watch(CountDownLatch closed, long intervalNanos) {
    try {
      while (!closed.await(intervalNanos, TimeUnit.NANOSECONDS)) {
        try {
          reload();
        } catch (RuntimeException e) { // logged; the next check may succeed
          LOG.log(System.Logger.Level.ERROR, "files of TLS keys could not be looked at", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only an application that wants the thread to end interrupts it
    }
  }
}
