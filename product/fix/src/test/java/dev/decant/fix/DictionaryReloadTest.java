package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.DictionaryException;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A dictionary is replaced while its sessions are logged on. A faulty file changes nothing. */
@Timeout(60)
class DictionaryReloadTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir
  Path folder;

  private final FixEngine engine = FixEngine.builder().name("venue").start();
  private final FixEngine clientEngine = FixEngine.builder().name("buyer").start();
  /** Completed by what comes back for a message: an echo, or a Reject(3). */
  private volatile CompletableFuture<String> answer = new CompletableFuture<>();
  private Path file = Path.of("");
  private String harbour = "";

  @BeforeEach
  void copyTheDictionary() throws IOException {
    file = folder.resolve("harbour.xml");
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("/harbour.xml"))) {
      harbour = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    Files.writeString(file, harbour);
  }

  @AfterEach
  void close() {
    clientEngine.close();
    engine.close();
  }

  /** The dictionary of a later day: offers have a tug, which is data. */
  private void writeLaterDictionary() throws IOException {
    Files.writeString(file, harbour
        .replace("<field name=\"Quay\" required=\"Y\"/>", "<field name=\"Quay\" required=\"Y\"/>"
            + "<field name=\"TugLen\"/><field name=\"Tug\"/>")
        .replace("<fields>", "<fields><field number=\"20090\" name=\"TugLen\" type=\"LENGTH\"/>"
            + "<field number=\"20091\" name=\"Tug\" type=\"DATA\"/>"));
  }

  private final class Pair {
    final FixSession server;
    final FixSession client;

    Pair(String name, Dictionary dictionary) throws IOException, InterruptedException {
      SessionId id = SessionId.of("FIX.4.4", "VENUE", name);
      FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> {
            OutboundMessage echo = session.newMessage();
            echo.begin("UO");
            echo.text(20_000, message.string(20_000)).text(20_004, "echo");
            if (message.has(20_091)) {
              echo.text(58, message.string(20_091).replace('\u0001', '!'));
            }
            echo.send();
          })
          .session(SessionSettings.of(id).dictionary(dictionary).build()).open();
      server = acceptor.session(id);
      client = clientEngine
          .initiator(SessionSettings.of(SessionId.of("FIX.4.4", name, "VENUE")).build(), new Application() {
            @Override
            public void onMessage(FixSession session, MessageView message) {
              answer.complete("echo " + message.string(58, ""));
            }

            @Override
            public void onSessionMessage(FixSession session, MessageView message) {
              if (message.contentEquals(35, "3")) {
                answer.complete("rejected for " + message.string(371, "?"));
              }
            }
          })
          .host("localhost", acceptor.localAddress().getPort()).open();
      assertThat(client.awaitLogon(PATIENCE)).isTrue();
    }

    /** What comes back for an offer with a tug. */
    String offer() throws Exception {
      return offer("a\u0001b");
    }

    String offer(String text) throws Exception {
      answer = new CompletableFuture<>();
      OutboundMessage offer = client.newMessage();
      offer.begin("UO");
      ByteBuffer tug = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
      offer.text(20_000, "V").text(20_004, "NORTH").data(20_090, 20_091, tug, 0, tug.capacity());
      assertThat(offer.send()).isPositive();
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private static <T> T outcome(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A message by hand was checked by the dictionary of the settings, which the session had left. */
  @Test
  void messageByHandIsCheckedByTheFileThatWasReadAgain() throws Exception {
    Pair pair = new Pair("BUYER", Dictionary.load(file));
    String offer = "35=UO|20000=V|20004=NORTH|20090=1|20091=x";
    assertThatThrownBy(() -> pair.server.send(offer)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("20090");
    writeLaterDictionary();
    assertThat(outcome(engine.reloadDictionary(file))).isEqualTo(1);
    assertThat(outcome(pair.server.send(offer))).isEqualTo(2);
  }

  @Test
  void sessionsGoByTheFileThatWasReadAgain() throws Exception {
    Dictionary first = Dictionary.load(file);
    Pair pair = new Pair("BUYER", first);
    Pair other = new Pair("OTHER", Dictionary.loadResource("harbour.xml"));
    assertThat(pair.offer("ab")).isEqualTo("rejected for 20090");

    writeLaterDictionary();
    assertThat(outcome(engine.reloadDictionary(file))).as("of one session").isEqualTo(1);
    assertThat(pair.offer()).as("its data fields hold the delimiter").isEqualTo("echo a!b");
    assertThat(other.offer("ab")).as("of a resource").isEqualTo("rejected for 20090");

    Pair later = new Pair("LATER", first);
    assertThat(later.offer()).as("opened with the older one").isEqualTo("echo a!b");
    assertThat(pair.server.tolerated().count(Leniency.UNKNOWN_FIELD)).isZero();
  }

  @Test
  void aFileThatIsWrongChangesNothing() throws Exception {
    writeLaterDictionary();
    Pair pair = new Pair("BUYER", Dictionary.load(file));
    assertThat(pair.offer()).isEqualTo("echo a!b");

    Files.writeString(file, harbour.substring(0, 500));
    assertThatThrownBy(() -> engine.reloadDictionary(file)).isInstanceOf(DictionaryException.class);
    Files.writeString(file, harbour.replace("minor=\"4\"", "minor=\"2\""));
    assertThatThrownBy(() -> outcome(engine.reloadDictionary(file))).isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class).hasMessageContaining("give one of the same version");
    Files.writeString(file, harbour.replaceAll("(?s)<header>.*</header>|<trailer>.*</trailer>", ""));
    assertThatThrownBy(() -> outcome(engine.reloadDictionary(file))).isInstanceOf(ExecutionException.class)
        .hasMessageContaining("has no header");
    assertThatThrownBy(() -> engine.reloadDictionary(Dictionary.loadResource("harbour.xml")))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("of no file");

    assertThat(pair.offer()).isEqualTo("echo a!b");
    assertThat(new Pair("LATER", Dictionary.load(writeLater())).offer()).isEqualTo("echo a!b");
  }

  private Path writeLater() throws IOException {
    writeLaterDictionary();
    return file;
  }

  @Test
  void oneSessionGetsADictionaryOfItsOwn() throws Exception {
    Dictionary first = Dictionary.load(file);
    Pair pair = new Pair("BUYER", first);
    Pair other = new Pair("OTHER", first);
    writeLaterDictionary();

    Dictionary second = Dictionary.load(file);
    assertThat(outcome(pair.server.dictionary(second))).isSameAs(second);
    assertThat(pair.offer()).isEqualTo("echo a!b");
    assertThat(other.offer("ab")).isEqualTo("rejected for 20090");
    assertThatThrownBy(() -> outcome(pair.client.dictionary(second))).hasMessageContaining("has no dictionary");
    assertThatThrownBy(() -> outcome(pair.server.applicationDictionary("9", second)))
        .hasMessageContaining("of ApplVerID 9");
    engine.close();
    assertThatThrownBy(() -> outcome(pair.server.dictionary(first))).hasMessageContaining("the engine is closed");
  }
}
