package dev.decant.lab.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionControlTest {
  private static final SessionId ID = SessionId.of("FIX.4.4", "ISLD", "TW");

  @Test
  void numbersOfASessionAreSetByALine() throws IOException, InterruptedException {
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new EchoAcceptor(false)).session(SessionSettings.of(ID).build()).open();
        SessionControl control = SessionControl.open(0, acceptor)) {
      assertThat(response(control, "SET_SESSION FIX.4.4:ISLD->TW NEXTTARGETSEQNUM=2000")).isEqualTo("OK");
      assertThat(response(control, "SET_SESSION FIX.4.4:ISLD->TW NEXTSENDERSEQNUM=3000")).isEqualTo("OK");

      FixSession session = acceptor.session(ID);
      assertThat(engine.waitUntil(() -> session.nextInbound() == 2000 && session.nextOutbound() == 3000,
          Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void wrongLinesAreAnsweredWithWhatIsWrong() throws IOException {
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new EchoAcceptor(false)).session(SessionSettings.of(ID).build()).open();
        SessionControl control = SessionControl.open(0, acceptor)) {
      assertThat(response(control, "SET_SESSION FIX.4.4:ISLD->OTHER NEXTTARGETSEQNUM=2000"))
          .startsWith("ERROR there is no session");
      assertThat(response(control, "RESET")).isEqualTo("ERROR not understood: RESET");
    }
  }

  private static String response(SessionControl control, String line) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), control.port());
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      socket.setSoTimeout(20_000);
      out.print(line + "\n");
      out.flush();
      return in.readLine();
    }
  }
}
