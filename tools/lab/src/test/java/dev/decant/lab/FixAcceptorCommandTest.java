package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FixAcceptorCommandTest {
  private static final Pattern PORTS = Pattern.compile("port (\\d+), control port (\\d+)");
  private static final DateTimeFormatter SENDING_TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss")
      .withZone(ZoneOffset.UTC);
  private static final int PATIENCE_MILLIS = 20_000;

  private int port;
  private int controlPort;

  private interface Check {
    void run() throws IOException;
  }

  /** Runs the command during a check, and ends it by the end of its input. */
  private void whileServing(Check check, String... options) throws Exception {
    FixAcceptorCommand command = new FixAcceptorCommand();
    CommandLine line = new CommandLine(command);
    PipedOutputStream typed = new PipedOutputStream();
    try (PipedInputStream input = new PipedInputStream(typed);
        PipedWriter screen = new PipedWriter();
        BufferedReader shown = new BufferedReader(new PipedReader(screen))) {
      line.setOut(new PrintWriter(screen, true));
      line.parseArgs(options);
      FutureTask<Integer> run = new FutureTask<>(() -> command.run(input));
      Thread.ofPlatform().daemon(true).start(run);
      try (typed) {
        Matcher ports = PORTS.matcher(shown.readLine());
        assertThat(ports.matches()).isTrue();
        port = Integer.parseInt(ports.group(1));
        controlPort = Integer.parseInt(ports.group(2));
        check.run();
      }
      assertThat(run.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isZero();
    }
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private String control(String line) throws IOException {
    try (Socket socket = connect(controlPort)) {
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }
  }

  private static byte[] message(String target, int number, String type, String body) {
    String fields = "35=" + type + "|34=" + number + "|49=" + target + "|52=" + SENDING_TIME.format(Instant.now())
        + "|56=ISLD|" + body;
    String text = ("8=FIX.4.4|9=" + fields.length() + "|" + fields).replace('|', '\u0001');
    int sum = text.chars().sum() % 256;
    return (text + "10=" + Integer.toString(1000 + sum).substring(1) + "\u0001").getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a message up to its CheckSum, with bars for SOH. */
  private static String read(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf("|10=") < 0) {
      int next = in.read();
      assertThat(next).as("after " + text).isNotNegative();
      text.append(next == 1 ? '|' : (char) next);
    }
    return text.toString();
  }

  @Test
  void ordersComeBackAndNumbersAreSetFromOutside() throws Exception {
    whileServing(() -> {
      assertThat(control("SET_SESSION FIX.4.4:ISLD->TW NEXTSENDERSEQNUM=7")).isEqualTo("OK");
      assertThat(control("SET_SESSION FIX.4.4:ISLD->TW NEXTTARGETSEQNUM=2000")).isEqualTo("OK");
      try (Socket socket = connect(port)) {
        socket.getOutputStream().write(message("TW", 2000, "A", "98=0|108=30|"));
        assertThat(read(socket.getInputStream())).contains("|35=A|", "|34=7|");
        String order = "11=ID|21=3|40=1|54=1|38=2.00|55=INTC|60=" + SENDING_TIME.format(Instant.now()) + "|";
        socket.getOutputStream().write(message("TW", 2001, "D", order));
        assertThat(read(socket.getInputStream())).contains("|35=D|", "|34=8|", "|49=ISLD|", "|56=TW|", order);
      }
    }, "--port", "0", "--control", "0");
  }

  @Test
  void linesThatCannotBeObeyedAreAnsweredByWhy() throws Exception {
    whileServing(() -> {
      assertThat(control("SET_SESSION FIX.4.4:ISLD->NOBODY NEXTSENDERSEQNUM=7")).startsWith("ERROR ");
      assertThat(control("SET_SESSION FIX.4.4:ISLD->TW NEXTSENDERSEQNUM=0")).startsWith("ERROR ");
      assertThat(control("SET_SESSION FIX.4.4:ISLD->TW SEQNUM=7")).startsWith("ERROR not understood");
      assertThat(control("")).startsWith("ERROR not understood");
    }, "--port", "0", "--control", "0");
  }

  @Test
  void counterpartiesAreThoseOfTheOption() throws Exception {
    whileServing(() -> {
      assertThat(control("SET_SESSION FIX.4.2:ISLD->TW1 NEXTSENDERSEQNUM=7")).isEqualTo("OK");
      assertThat(control("SET_SESSION FIXT.1.1:ISLD->TW2 NEXTSENDERSEQNUM=7")).isEqualTo("OK");
      assertThat(control("SET_SESSION FIX.4.2:ISLD->TW NEXTSENDERSEQNUM=7")).startsWith("ERROR ");
      try (Socket socket = connect(port)) {
        socket.getOutputStream().write(message("TW2", 1, "A", "98=0|108=30|"));
        assertThat(read(socket.getInputStream())).matches(".*\\|52=[0-9-]+:\\d\\d:\\d\\d\\.\\d{6}\\|.*")
            .contains("|369=1|");
      }
    }, "--port", "0", "--control", "0", "--counterparty", "TW1,TW2", "--time-precision", "MICROS",
        "--last-msg-seq-num-processed", "--reset-on-logon");
  }
}
