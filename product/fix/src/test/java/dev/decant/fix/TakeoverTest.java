package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A counterparty logs on again while its first connection may be broken. */
@Timeout(60)
class TakeoverTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Stands still, unless a test has time pass: a slow machine makes no connection silent. */
  private final AtomicLong nowNanos = new AtomicLong(System.nanoTime());
  private final FixEngine engine = FixEngine.builder().name("server").clock(new Clock() {
    @Override
    public long nanoTime() {
      return nowNanos.get();
    }

    @Override
    public long epochMillis() {
      return System.currentTimeMillis();
    }
  }).start();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<String> ended = new CopyOnWriteArrayList<>();
  private FixAcceptor acceptor;

  @BeforeEach
  void open() throws IOException {
    acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Application() {
      @Override
      public void onMessage(FixSession session, MessageView message) {}

      @Override
      public void onLogout(FixSession session, String reason) {
        ended.add(reason);
      }
    }).session(SessionSettings.of(SERVER).build()).logonTimeout(Duration.ofMinutes(10))
        .authenticator(new Authenticator() {
          @Override
          public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
            asked.incrementAndGet();
            return logon.contentEquals(554, "secret") ? null : "wrong password";
          }
        }).open();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private RawClient client() throws IOException {
    return new RawClient(acceptor.localAddress().getPort(), "CLIENT");
  }

  private RawClient loggedOn() throws IOException {
    RawClient client = client();
    client.logon(1, "554=secret|");
    assertThat(client.read()).contains("|35=A|34=1|");
    return client;
  }

  /** The round that a message came from is over first: it may yet set a timer, which would count from the new time. */
  private void pass(Duration duration) throws Exception {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    engine.loops()[0].loop().execute(() -> over.complete(true));
    over.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    nowNanos.addAndGet(duration.toNanos());
    engine.loops()[0].loop().signal();
  }

  /** The logons of a counterparty whose machine had crashed were refused for 2.4 heartbeat intervals. */
  @Test
  void silentConnectionIsTakenOverAfterOneTestRequest() throws Exception {
    try (RawClient broken = loggedOn()) {
      pass(Duration.ofSeconds(3));
      try (RawClient anew = client()) {
        anew.logon(2, "554=secret|");
        assertThat(broken.read()).contains("|35=1|34=2|");
        pass(Duration.ofSeconds(6));

        assertThat(anew.read()).contains("|35=A|34=3|");
        assertThat(asked).as("once for each logon").hasValue(2); // it may take a token once
        assertThat(broken.read()).isEmpty();
        anew.send("1", 3, "112=HERE|");
        assertThat(anew.read()).contains("|35=0|34=4|", "|112=HERE|");
      }
    }
    assertThat(ended).first().asString().contains("nothing came", "takes over");
  }

  @Test
  void connectionThatAnswersStays() throws Exception {
    try (RawClient first = loggedOn()) {
      pass(Duration.ofSeconds(3));
      try (RawClient second = client()) {
        second.logon(2, "554=secret|");
        assertThat(first.read()).contains("|35=1|34=2|", "|112=TEST|");
        first.send("0", 2, "112=TEST|");

        assertThat(second.read()).isEmpty();
      }
      pass(Duration.ofSeconds(6));
      first.send("1", 3, "112=HERE|");
      assertThat(first.read()).contains("|35=0|34=3|", "|112=HERE|");
    }
  }

  @Test
  void connectionThatEndsMeanwhileIsTakenOverAtOnce() throws Exception {
    try (RawClient second = client()) {
      try (RawClient first = loggedOn()) {
        pass(Duration.ofSeconds(3));
        second.logon(2, "554=secret|");
        assertThat(first.read()).contains("|35=1|34=2|");
      }
      assertThat(second.read()).contains("|35=A|34=3|");
    }
  }

  @Test
  void secondLogonThatGoesAwayLeavesTheNextOneItsChance() throws Exception {
    try (RawClient broken = loggedOn()) {
      pass(Duration.ofSeconds(3));
      try (RawClient second = client()) {
        second.logon(2, "554=secret|");
        assertThat(broken.read()).contains("|35=1|34=2|");
        second.send("0", 3, ""); // before the response to its Logon: it is closed
        assertThat(second.read()).isEmpty();
      }
      try (RawClient third = client()) {
        third.logon(2, "554=secret|");
        assertThat(broken.read()).contains("|35=1|34=3|");
        pass(Duration.ofSeconds(6));

        assertThat(third.read()).contains("|35=A|34=4|");
      }
    }
  }

  @Test
  void strangerChangesNothing() throws Exception {
    try (RawClient first = loggedOn()) {
      pass(Duration.ofSeconds(3));
      try (RawClient stranger = client()) {
        stranger.logon(2, "554=guessed|");
        assertThat(stranger.read()).isEmpty();
      }
      first.send("1", 2, "112=HERE|");
      assertThat(first.read()).contains("|35=0|34=2|", "|112=HERE|");
    }
    assertThat(engine.waitUntil(() -> ended.size() == 1, PATIENCE)).isTrue();
  }

  @Test
  void connectionOnWhichSomethingHasJustComeIsNotAsked() throws Exception {
    try (RawClient first = loggedOn()) {
      try (RawClient second = client()) {
        second.logon(2, "554=secret|");
        assertThat(second.read()).isEmpty();
      }
      first.send("1", 2, "112=HERE|");
      assertThat(first.read()).contains("|35=0|34=2|", "|112=HERE|");
    }
  }
}
