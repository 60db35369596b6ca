package dev.decant.fix.quickfix;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** A counterparty that sends a Logon(A) of FIX.4.4 to VENUE, and reads the responses. */
final class Stranger implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket;

  Stranger(int port, String compId, String fields) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    String now = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss").format(LocalDateTime.now(ZoneOffset.UTC));
    String body = "35=A|34=1|49=" + compId + "|52=" + now + "|56=VENUE|98=0|108=30|" + fields;
    String message = ("8=FIX.4.4|9=" + body.length() + '|' + body).replace('|', '\u0001');
    String sum = String.format(Locale.ROOT, "10=%03d\u0001", message.chars().sum() % 256);
    socket.getOutputStream().write((message + sum).getBytes(StandardCharsets.US_ASCII));
  }

  /** All that comes until the connection ends, or until a message of a type, with {@code |} for the delimiter. */
  String readUntil(String msgType) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0; next = in.read()) {
      text.append(next == 1 ? '|' : (char) next);
      if (next == 1 && text.indexOf("|35=" + msgType + '|') >= 0 && text.lastIndexOf("|10=") > text.length() - 9) {
        return text.toString();
      }
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
