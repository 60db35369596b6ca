package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import quickfix.DefaultMessageFactory;
import quickfix.MemoryStoreFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/**
 * The engines of a ThreadedSocketInitiator are closed at the same time. Once, they were closed one after the other:
 * with many counterparties that do not respond, the stop took as many times the LogoutTimeout.
 */
@Timeout(60)
class StopTest {
  private static void send(Socket to, String msgType, int number, String target, String fields) throws IOException {
    String now = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss").format(LocalDateTime.now(ZoneOffset.UTC));
    String body = "35=" + msgType + "|34=" + number + "|49=VENUE|52=" + now + "|56=" + target + '|' + fields;
    String message = ("8=FIX.4.4|9=" + body.length() + '|' + body).replace('|', '\u0001');
    String sum = String.format(Locale.ROOT, "10=%03d\u0001", message.chars().sum() % 256);
    to.getOutputStream().write((message + sum).getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads on to a message of a type, and returns its TargetCompID's counterpart: who has sent it. */
  private static String readUntil(Socket from, String msgType) throws IOException {
    StringBuilder text = new StringBuilder();
    int next = from.getInputStream().read();
    while (next >= 0) {
      text.append(next == 1 ? '|' : (char) next);
      boolean isEnd = next == 1 && text.lastIndexOf("|10=") > text.length() - 9 && text.lastIndexOf("|10=") >= 0;
      if (isEnd && text.indexOf("|35=" + msgType + '|') >= 0) {
        return text.substring(text.indexOf("|49=") + 4, text.indexOf("|", text.indexOf("|49=") + 4));
      }
      next = from.getInputStream().read();
    }
    throw new IOException("the connection ended without MsgType " + msgType + ": " + text);
  }

  @Test
  void allSessionsAreLoggedOutBeforeAnyCounterpartyHasAnswered() throws Exception {
    try (ServerSocket venue = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      venue.setSoTimeout(20_000);
      SessionSettings settings = new SessionSettings();
      for (String buyer : List.of("ONE", "TWO")) {
        SessionID id = new SessionID("FIX.4.4", buyer, "VENUE");
        settings.setString(id, "ConnectionType", "initiator");
        settings.setString(id, "SocketConnectHost", "127.0.0.1");
        settings.setString(id, "SocketConnectPort", Integer.toString(venue.getLocalPort()));
        settings.setString(id, "NonStopSession", "Y");
        settings.setString(id, "HeartBtInt", "30");
        settings.setString(id, "LogoutTimeout", "600");
      }
      Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", venue.getLocalPort());
      ThreadedSocketInitiator initiator = new ThreadedSocketInitiator(buyer, new MemoryStoreFactory(), settings,
          EngineUnderTest.SILENT, new DefaultMessageFactory());
      initiator.start();
      try (Socket first = venue.accept(); Socket second = venue.accept()) {
        first.setSoTimeout(20_000);
        second.setSoTimeout(20_000);
        String ofFirst = readUntil(first, "A");
        String ofSecond = readUntil(second, "A");
        assertThat(List.of(ofFirst, ofSecond)).containsExactlyInAnyOrder("ONE", "TWO");
        send(first, "A", 1, ofFirst, "98=0|108=30|");
        send(second, "A", 1, ofSecond, "98=0|108=30|");
        Side.await("two logons", () -> buyer.callbacks.stream().filter("onLogon"::equals).count() == 2);

        Thread stop = Thread.ofPlatform().start(initiator::stop);
        readUntil(first, "5");
        readUntil(second, "5");
        send(first, "5", 2, ofFirst, "");
        send(second, "5", 2, ofSecond, "");
        stop.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(stop.isAlive()).isFalse();
      }
    }
  }
}
