package dev.decant.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.event.Registration;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.spec.AlgorithmParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys and certificates of all forms, wrong ones, and files that change. */
@Timeout(60)
class TlsContextTest {
  private static final char[] PASSWORD = TestCertificate.PASSWORD;
  private static final TestCertificate SERVER = TestCertificate.SERVER;

  /**
   * Made with: openssl pkcs8 -topk8 -in KEY -v2 aes-256-cbc -v2prf hmacWithSHA256 -iter 1000 -passout pass:PASSWORD.
   */
  private static final String ENCRYPTED_BY_OPENSSL = """
      -----BEGIN ENCRYPTED PRIVATE KEY-----
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgH+deu4rz5dgICA+gw
      DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMbc4HC7kst1qoruZrC5y6UEgZDG
      fgVJf/VkZgiFZVQ7yxRuArGRM0n0RcTY0BmwS3ylggTnYgH7kWEnTl8/wdAwqTef
      7ZCJfk0fX/DJ24vsZIrFl7X1qehEtUso3dYIHqYuWmaobm4d4/BcVWDmtC+48ouG
      oMkyCzoGA31uZSQYfxnzBP5CrrLfMCd2QlJJ4GPcTcCcyQJXls535Y538K7U4ao=
      -----END ENCRYPTED PRIVATE KEY-----
      """;
  private static final String PLAIN_BY_OPENSSL = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbd0vrD9fpLOJ7skJ
      zM7jLtGQAjAsXzFhYGq9E32+2nShRANCAASBWBJdg/eq0HWxvDm5nEf6b+DKNKpZ
      fAV0xayhtCAm7MgoCvzQ/bbTmqAChqh3mxNbvPzAp7+3VmKxWJjj/2sP
      -----END PRIVATE KEY-----
      """;

  @TempDir
  Path directory;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private Path write(String name, KeyStore store) throws Exception {
    Path file = directory.resolve(name);
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD);
    }
    return file;
  }

  private static TlsContext keys(KeySource source) throws TlsKeyException {
    return TlsContext.load(TlsSettings.builder().keys(source).build());
  }

  private static TlsContext trust(TrustSource source) throws TlsKeyException {
    return TlsContext.load(TlsSettings.builder().trust(source).build());
  }

  private static Instant endOf(TestCertificate certificate) {
    return certificate.certificate().getNotAfter().toInstant();
  }

  static String encrypted(TestCertificate certificate, String algorithm) throws Exception {
    SecretKey key = SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(PASSWORD));
    Cipher cipher = Cipher.getInstance(algorithm);
    AlgorithmParameterSpec spec = new PBEParameterSpec(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 1_000);
    cipher.init(Cipher.ENCRYPT_MODE, key, spec);
    return TestCertificate.pem("ENCRYPTED PRIVATE KEY",
        new EncryptedPrivateKeyInfo(cipher.getParameters(), cipher.doFinal(certificate.key().getEncoded()))
            .getEncoded());
  }

  @Test
  void keysAreReadFromPem() throws Exception {
    Path both = write("both.pem", "a comment\r\n" + SERVER.keyPem().replace("\n", "\r\n") + SERVER.chainPem());
    Path chain = write("chain.pem", SERVER.chainPem());
    Path key = write("key.pem", SERVER.keyPem());
    for (KeySource source : List.of(KeySource.pem(both, new char[0]), KeySource.pem(chain, key, new char[0]),
        KeySource.pemText(SERVER.chainPem(), SERVER.keyPem(), PASSWORD))) {
      assertThat(keys(source).notAfter()).as("%s", source).isEqualTo(endOf(TestCertificate.AUTHORITY));
    }
  }

  /** The form that openssl writes today (PBES2). */
  @Test
  void keyThatOpensslHasEncryptedIsRead() throws Exception {
    char[] password = "secret-of-the-test".toCharArray();
    assertThat(Pem.privateKey(Pem.blocks(ENCRYPTED_BY_OPENSSL.getBytes(StandardCharsets.US_ASCII), "a"), password, "a"))
        .isEqualTo(
            Pem.privateKey(Pem.blocks(PLAIN_BY_OPENSSL.getBytes(StandardCharsets.US_ASCII), "b"), password, "b"));
  }

  @Test
  void encryptedKeysAreRead() throws Exception {
    String key = encrypted(SERVER, "PBEWithSHA1AndDESede");
    char[] password = PASSWORD.clone();
    KeySource source = KeySource.pemText(SERVER.chainPem(), key, password);
    password[0]++; // the caller's own copy

    assertThat(keys(source).notAfter()).isNotNull();
    assertThatThrownBy(() -> keys(KeySource.pemText(SERVER.chainPem(), key, new char[0])))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("no password is set");
    assertThatThrownBy(() -> keys(KeySource.pemText(SERVER.chainPem(), key, "wrong".toCharArray())))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("the password is wrong");
  }

  @Test
  void keysOfEachAlgorithmAreRead() throws Exception {
    for (TestCertificate certificate : List.of(TestCertificate.of("rsa").rsa().make(),
        TestCertificate.of("ed25519").ed25519().make(), TestCertificate.of("ec").make())) {
      assertThat(keys(certificate.keys()).notAfter()).isEqualTo(endOf(certificate));
    }
  }

  @Test
  void keyStoresAreRead() throws Exception {
    Path pkcs12 = write("keys.p12", SERVER.keyStore("PKCS12"));
    Path jks = write("keys.jks", SERVER.keyStore("JKS"));
    assertThat(keys(KeySource.pkcs12(pkcs12, PASSWORD)).notAfter()).isNotNull();
    assertThat(keys(KeySource.jks(jks, PASSWORD, PASSWORD)).notAfter()).isNotNull();
    trust(TrustSource.pkcs12(write("trust.p12", SERVER.trustStore("PKCS12")), PASSWORD));
    trust(TrustSource.jks(write("trust.jks", SERVER.trustStore("JKS")), PASSWORD));
    trust(TrustSource.pem(write("trust.pem", SERVER.chainPem())));

    assertThatThrownBy(() -> keys(KeySource.pkcs12(pkcs12, "wrong".toCharArray())))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("keys.p12").hasMessageContaining("password is wrong");
    assertThatThrownBy(() -> keys(KeySource.jks(jks, PASSWORD, "wrong".toCharArray())))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("keys.jks").hasMessageContaining("password is wrong");
    KeyStore empty = KeyStore.getInstance("PKCS12");
    empty.load(null, PASSWORD);
    Path nothing = write("nothing.p12", empty);
    assertThatThrownBy(() -> trust(TrustSource.pkcs12(nothing, PASSWORD)))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("no trusted certificate");
    assertThatThrownBy(() -> trust(TrustSource.store("BCFKS", pkcs12, PASSWORD)))
        .isInstanceOf(TlsKeyException.class).hasMessageContaining("no security provider has key stores of type BCFKS");
    assertThat(keys(KeySource.store("pkcs12", pkcs12, PASSWORD, PASSWORD)).notAfter()).isNotNull();
  }

  /** The JDK trusts the certificate of a key, too, and so do clients whose trust store is their key store. */
  @Test
  void trustStoreMayHaveNothingButAKey() throws Exception {
    trust(TrustSource.pkcs12(write("own.p12", SERVER.keyStore("PKCS12")), PASSWORD));
    trust(TrustSource.jks(write("own.jks", SERVER.keyStore("JKS")), PASSWORD));
  }

  @Test
  void whatCannotBeUsedIsNamedWithWhatToDo() throws Exception {
    String stranger = TestCertificate.STRANGER.keyPem();
    assertRefused(SERVER.chainPem(), stranger, "does not belong to the first certificate, [CN=server]");
    assertRefused(SERVER.chainPem() + TestCertificate.STRANGER.chainPem(), SERVER.keyPem(),
        "certificate 2, [CN=Test Authority], is not signed by the next one");
    assertRefused("", SERVER.keyPem(), "has no block \"-----BEGIN CERTIFICATE-----\"");
    assertRefused(SERVER.chainPem(), "", "has no block \"-----BEGIN PRIVATE KEY-----\"");
    assertRefused(SERVER.chainPem(), SERVER.keyPem().replace("PRIVATE KEY", "RSA PRIVATE KEY"), "openssl pkcs8 -topk8");
    assertRefused(SERVER.chainPem(), TestCertificate.pem("PRIVATE KEY", new byte[] {1, 2, 3}), "cannot be read");
    assertRefused(TestCertificate.pem("CERTIFICATE", new byte[] {1, 2, 3}), SERVER.keyPem(), "certificate 1 cannot be");
    assertRefused(SERVER.chainPem().replace("-----END", "----END"), SERVER.keyPem(), "has no line");
    TestCertificate old = TestCertificate.of("old").valid(Instant.EPOCH, Instant.EPOCH.plus(1, ChronoUnit.DAYS)).make();
    assertRefused(old.chainPem(), old.keyPem(), "[CN=old] has expired");
    Path none = directory.resolve("none.pem");
    assertThatThrownBy(() -> keys(KeySource.pem(none, new char[0]))).isInstanceOf(TlsKeyException.class)
        .hasMessageContaining("none.pem does not exist");
  }

  private static void assertRefused(String chain, String key, String words) {
    assertThatThrownBy(() -> keys(KeySource.pemText(chain, key, new char[0]))).isInstanceOf(TlsKeyException.class)
        .hasMessageContaining(words).message().doesNotContain("\n");
  }

  @Test
  void settingsThatContradictAreRefused() throws Exception {
    TlsSettings.Builder builder = TlsSettings.builder();
    assertThatThrownBy(() -> builder.protocols("TLSv1.1")).hasMessageContaining("TLSv1.1 is not supported");
    assertThatThrownBy(() -> TlsSettings.builder().keys(SERVER.keys()).sslContext(SSLContext.getDefault()).build())
        .hasMessageContaining("set either it, or keys and trust");
    assertThatThrownBy(() -> TlsContext.load(TlsSettings.builder().cipherSuites("TLS_NONE").build()))
        .hasMessageContaining("TLS_NONE is none of this JDK's");
  }

  @Test
  void noTextOfSettingsHasThePassword() throws Exception {
    Path file = write("keys.p12", SERVER.keyStore("PKCS12"));
    KeyStore empty = KeyStore.getInstance("PKCS12");
    empty.load(null, PASSWORD);
    TlsSettings settings = TlsSettings.builder().keys(KeySource.pkcs12(file, PASSWORD))
        .trust(TrustSource.pkcs12(write("nothing.p12", empty), PASSWORD)).build();

    assertThat(settings.toString()).contains("keys.p12", "TLSv1.3").doesNotContain(new String(PASSWORD));
    assertThatThrownBy(() -> TlsContext.load(settings)).message().doesNotContain(new String(PASSWORD));
  }

  @Test
  void serverNameIsSentForNamesAndNotForAddresses() throws Exception {
    TlsContext context = TlsContext.load(TlsSettings.builder().build());
    assertThat(names(context, "broker")).singleElement().asString().contains("broker");
    assertThat(names(context, "a.example.")).singleElement().asString().endsWith("a.example");
    for (String address : List.of("127.0.0.1", "::1", "[::1]")) {
      assertThat(names(context, address)).as(address).isEmpty();
    }
    assertThat(context.clientEngine("[::1]", 1).getPeerHost()).isEqualTo("::1");
  }

  private static List<?> names(TlsContext context, String host) {
    SSLEngine engine = context.clientEngine(host, 1);
    List<?> names = engine.getSSLParameters().getServerNames();
    return names == null ? List.of() : names;
  }

  /** Records its events. */
  private static final class RecordedEvents implements TlsListener {
    final List<String> events = new ArrayList<>();

    @Override
    public synchronized void onKeysReplaced(int generation) {
      events.add("replaced " + generation);
    }

    @Override
    public synchronized void onKeysRefused(IOException cause) {
      events.add("refused: " + cause.getMessage());
    }

    @Override
    public synchronized void onKeysExpire(Instant notAfter, long daysLeft) {
      events.add("expires in " + daysLeft);
    }
  }

  @Test
  void changedFilesAreTakenWholeOrNotAtAll() throws Exception {
    TestCertificate next = TestCertificate.of("next").make();
    Path chain = write("chain.pem", SERVER.chainPem());
    Path key = write("key.pem", SERVER.keyPem());
    TlsContext context = keys(KeySource.pem(chain, key, new char[0]));
    RecordedEvents told = new RecordedEvents();
    context.addListener(told);
    assertThat(context.reload()).isFalse();
    assertThat(told.events).isEmpty();

    write("chain.pem", next.chainPem()); // the key is still the old one
    assertThat(context.reload()).isFalse();
    assertThat(context.reload()).as("told once").isFalse();
    assertThat(told.events).singleElement().asString().startsWith("refused: ").contains("does not belong");
    assertThat(context.notAfter()).isEqualTo(endOf(TestCertificate.AUTHORITY));
    assertThat(context.generation()).isEqualTo(1);

    write("key.pem", next.keyPem());
    assertThat(context.reload()).isTrue();
    assertThat(context.generation()).isEqualTo(2);
    assertThat(context.notAfter()).isEqualTo(endOf(next));
    assertThat(told.events).hasSize(2).last().isEqualTo("replaced 2");
    Files.delete(key);
    assertThat(context.reload()).isFalse();
    assertThat(told.events).last().asString().contains("key.pem does not exist");
  }

  @Test
  void expiryIsReportedOnceADay() throws Exception {
    Instant now = Instant.now();
    TestCertificate soon = TestCertificate.of("soon")
        .valid(now.minus(1, ChronoUnit.DAYS), now.plus(40, ChronoUnit.DAYS))
        .make();
    TlsContext context = keys(soon.keys());
    RecordedEvents told = new RecordedEvents();
    context.addListener(told);
    Instant end = endOf(soon);
    assertThat(context.daysToExpiry(end.minus(Duration.ofHours(49)))).hasValue(2);
    assertThat(context.daysToExpiry(end.plusSeconds(1))).hasValue(-1);
    context.reportExpiry(end.minus(Duration.ofDays(31)));
    context.reportExpiry(end.minus(Duration.ofDays(30)));
    context.reportExpiry(end.minus(Duration.ofDays(30)));
    context.reportExpiry(end.minus(Duration.ofHours(47)));

    assertThat(told.events).containsExactly("expires in 30", "expires in 1");
  }

  @Test
  void watchNoticesAChange() throws Exception {
    Path file = write("both.pem", SERVER.keyPem() + SERVER.chainPem());
    TlsContext context = keys(KeySource.pem(file, new char[0]));
    CompletableFuture<Integer> replaced = new CompletableFuture<>();
    context.addListener(new TlsListener() {
      @Override
      public void onKeysReplaced(int generation) {
        replaced.complete(generation);
      }
    });
    Registration watch = context.watchFiles(Duration.ofMillis(5));
    TestCertificate next = TestCertificate.of("next").make();
    Path prepared = write("next.pem", next.keyPem() + next.chainPem());
    Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);

    assertThat(replaced.get(20, TimeUnit.SECONDS)).isEqualTo(2);
    watch.close();
  }
}
