package dev.decant.lab.fix;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A port that takes {@code SET_SESSION FIX.4.4:ISLD->TW NEXTTARGETSEQNUM=2000}, or with {@code NEXTSENDERSEQNUM}. The
 * response is {@code OK}, or {@code ERROR} and the reason.
 */
public final class SessionControl implements AutoCloseable {
  private static final Pattern LINE = Pattern
      .compile("SET_SESSION (\\S+):(\\S+)->(\\S+) (NEXTSENDERSEQNUM|NEXTTARGETSEQNUM)=(\\d{1,18})");

  private static final long OFFLINE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ServerSocket socket;
  private final FixAcceptor acceptor;

  private SessionControl(ServerSocket socket, FixAcceptor acceptor) {
    this.socket = socket;
    this.acceptor = acceptor;
  }

  /**
   * Listens on loopback.
   *
   * @param port 0 for a free port
   * @param acceptor has the sessions
   * @return the server of the port
   * @throws IOException if the port cannot be bound
   */
  public static SessionControl open(int port, FixAcceptor acceptor) throws IOException {
    ServerSocket socket = new ServerSocket(port, 16, InetAddress.getLoopbackAddress());
    SessionControl control = new SessionControl(socket, acceptor);
    Thread.ofPlatform().name("control").daemon(true).start(control::serve);
    return control;
  }

  /**
   * Returns the port on which it listens.
   *
   * @return the port
   */
  public int port() {
    return socket.getLocalPort();
  }

  private void serve() {
    while (!socket.isClosed()) {
      try (Socket peer = socket.accept();
          BufferedReader in = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.UTF_8));
          PrintWriter out = new PrintWriter(peer.getOutputStream(), true, StandardCharsets.UTF_8)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          out.print(response(line) + "\n");
          out.flush();
        }
      } catch (IOException | UncheckedIOException e) {
        // the peer has closed its connection, or this server is closed
      }
    }
  }

  private String response(String line) {
    Matcher matcher = LINE.matcher(line.strip());
    if (!matcher.matches()) {
      return "ERROR not understood: " + line;
    }
    try {
      FixSession session = acceptor.session(SessionId.of(matcher.group(1), matcher.group(2), matcher.group(3)));
      if (!awaitOffline(session)) {
        return "ERROR " + session + " is connected; end its connection first";
      }
      long number = Long.parseLong(matcher.group(5));
      Future<?> change = matcher.group(4).equals("NEXTSENDERSEQNUM")
          ? session.setNextOutbound(number)
          : session.setNextInbound(number);
      change.get(OFFLINE_NANOS, TimeUnit.NANOSECONDS);
      return "OK";
    } catch (IllegalArgumentException e) {
      return "ERROR " + e.getMessage();
    } catch (ExecutionException e) {
      return "ERROR " + e.getCause();
    } catch (TimeoutException e) {
      return "ERROR the store has not taken the number in time";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "ERROR interrupted";
    }
  }

  /**
   * Waits until the session is offline: a peer that has just closed its connection may be faster than the engine, which
   * resets the numbers when it sees the end.
   */
  private static boolean awaitOffline(FixSession session) {
    long deadlineNanos = System.nanoTime() + OFFLINE_NANOS;
    while (session.isConnected() && System.nanoTime() - deadlineNanos < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return !session.isConnected();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
