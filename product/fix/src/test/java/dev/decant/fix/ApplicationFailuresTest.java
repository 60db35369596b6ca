package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exceptions and errors of user code are logged, and cost one message or one logon. */
@Timeout(60)
class ApplicationFailuresTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Logger LOGGER = Logger.getLogger(UserFailure.class.getName());

  private final FixEngine engine = FixEngine.builder().name("server").start();
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord line) {
      Throwable thrown = line.getThrown();
      if (line.getLevel().equals(Level.SEVERE) && thrown != null && thrown.getStackTrace().length > 0) {
        logged.add(line.getMessage() + " / " + thrown.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @BeforeEach
  void watchTheLog() {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void close() {
    engine.close();
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
  }

  /** Fails over each message, and in each other callback that is wanted. */
  private static class Failing implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {
      switch (message.string(11)) {
        case "link" -> throw new NoClassDefFoundError("a class of the application");
        case "assert" -> throw new AssertionError("a check of the application");
        case "stack" -> throw new StackOverflowError("a loop of the application");
        case "memory" -> throw new OutOfMemoryError("an array of the application");
        default -> session.rejectBusiness(message, 0, "as it should be");
      }
    }
  }

  private FixAcceptor acceptor(Application application, Authenticator authenticator) throws Exception {
    return engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), application)
        .session(SessionSettings.of(SERVER).build()).authenticator(authenticator).open();
  }

  /** An Error cut the connection without a word or a trace, and the message came again at each logon. */
  @Test
  void errorOverAMessageIsRejectedAndTheSessionGoesOn() throws Exception {
    FixAcceptor acceptor = acceptor(new Failing(), new Authenticator() {
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=A|");
      long number = 2;
      for (String id : List.of("link", "assert", "stack", "memory")) {
        client.send("D", number, "11=" + id + '|');
        assertThat(client.read()).as(id).contains("|35=j|", "|45=" + number + '|', "|380=4|");
        number++;
      }
      client.send("D", number, "11=good|");
      assertThat(client.read()).contains("|35=j|", "as it should be");
      long next = number + 1;
      assertThat(engine.waitUntil(() -> acceptor.session(SERVER).nextInbound() == next, PATIENCE)).isTrue();
    }
    assertThat(logged).hasSize(4).allMatch(line -> line.contains(SERVER.toString()));
  }

  /** Two engines whose applications fail over each message would send rejects of rejects for ever. */
  @Test
  void failureOverABusinessRejectIsNotRejected() throws Exception {
    FixAcceptor acceptor = acceptor((session, message) -> {
      throw new IllegalStateException("a defect of the application");
    }, new Authenticator() {
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=A|");
      client.send("j", 2, "45=1|372=D|380=4|");
      client.send("1", 3, "112=NEXT|");

      assertThat(client.read()).contains("|35=0|", "|112=NEXT|");
    }
    assertThat(logged).hasSize(1);
  }

  @Test
  void errorsInOtherCallbacksAreSurvived() throws Exception {
    engine.listen(new SessionListener() {
      @Override
      public void onLogon(SessionId session) {
        throw new AssertionError("a listener");
      }

      @Override
      public void onNotice(SessionId session, String text) {
        throw new AssertionError("a listener of notices");
      }
    });
    FixAcceptor acceptor = acceptor(new Failing() {
      @Override
      public void onLogon(FixSession session) {
        throw new AssertionError("onLogon");
      }

      @Override
      public boolean mayResend(FixSession session, MessageView message) {
        throw new AssertionError("mayResend");
      }
    }, new Authenticator() {
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=A|");
      client.send("D", 2, "11=good|");
      assertThat(client.read()).contains("|35=j|34=2|");
      client.send("2", 3, "7=2|16=2|");
      assertThat(client.read()).contains("|35=j|34=2|43=Y|");
    }
    assertThat(logged).anyMatch(line -> line.endsWith("/ a listener")).anyMatch(line -> line.endsWith("/ onLogon"))
        .anyMatch(line -> line.endsWith("/ mayResend"));
  }

  @Test
  void failureOfTheAuthenticatorRefusesTheLogon() throws Exception {
    FixAcceptor acceptor = acceptor(new Failing(), new Authenticator() {
      @Override
      public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
        throw new NoClassDefFoundError("a directory");
      }
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|35=5|", "the logon cannot be checked now");
      assertThat(client.read()).isEmpty();
    }
    assertThat(logged).hasSize(1).first().asString().contains("authenticator");
    assertThat(acceptor.session(SERVER).nextInbound()).isEqualTo(1);
  }

  @Test
  void failureOverALogonToBeSentIsLoggedAndEndsTheConnection() throws Exception {
    FixAcceptor acceptor = acceptor(new Failing() {
      @Override
      public void onLogonToBeSent(FixSession session, FieldWriter logon) {
        throw new AssertionError("onLogonToBeSent");
      }
    }, new Authenticator() {
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).isEmpty();
    }
    assertThat(logged).hasSize(1).first().asString().endsWith("/ onLogonToBeSent");
  }
}
