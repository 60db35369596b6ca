package dev.decant.fix.control;

import dev.decant.fix.FixSession;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes the requests of a control socket. A request is a line with a command, a session and the command's arguments.
 * A session is named by {@link dev.decant.fix.settings.SessionId#toString}, with a space, {@code %} or {@code +} as
 * {@code %20}, {@code %25} or {@code %2B}. The response to {@code status} has a line of JSON for each session. Every
 * response ends with the line {@code {"ok":true,...}} or {@code {"ok":false,"error":"..."}}. For an action, that line
 * has a sentence, {@code "outcome"}, and for some actions a {@code "number"}. Any thread except the loop's.
 */
final class ControlCommands {
  static final String HELP = "help, status [SESSION], logon SESSION, logout SESSION [TEXT], disable SESSION [TEXT],"
      + " enable SESSION, reset SESSION, reset-without-logout SESSION, set-outbound SESSION N,"
      + " set-inbound SESSION N, resend SESSION FROM,"
      + " test SESSION, send SESSION FIELDS";
  private static final int LONGEST_ERROR = 500;
  private static final double NANOS_PER_MICROSECOND = 1e3;

  private final Supplier<List<FixSession>> sessions;
  private final Duration patience;

  ControlCommands(Supplier<List<FixSession>> sessions, Duration patience) {
    this.sessions = sessions;
    this.patience = patience;
  }

  /** Thrown for a request that the operator has to correct. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String reason) {
      super(reason);
    }
  }

  /** Receives the lines of a response one by one, so that no response is in memory as a whole. */
  @FunctionalInterface
  interface Response {
    void line(String line) throws IOException;
  }

  /** Executes a request. Throws only if a line of the response cannot be delivered. */
  void execute(String request, Response response) throws IOException {
    String end;
    try {
      end = dispatch(request, response);
    } catch (RefusedException | IllegalArgumentException | IllegalStateException e) {
      end = error(e);
    } catch (ExecutionException e) {
      end = error(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      end = error(new RefusedException("no outcome within " + patience.toSeconds()
          + " s; the action goes on, and the status shows what comes of it"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end = error(new RefusedException("the engine is closing"));
    }
    response.line(end);
  }

  private static String error(Throwable failure) {
    String text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    return new JsonLine().put("ok", false)
        .put("error", text.length() > LONGEST_ERROR ? text.substring(0, LONGEST_ERROR) + "..." : text).toString();
  }

  private String dispatch(String request, Response response)
      throws RefusedException, ExecutionException, TimeoutException, InterruptedException, IOException {
    String[] words = request.strip().split(" +", 3);
    String session = words.length > 1 ? words[1] : null;
    String rest = words.length > 2 ? words[2] : "";
    return switch (words[0]) {
      case "help" -> new JsonLine().put("ok", true).put("commands", HELP).toString();
      case "status" -> status(session, response);
      case "logon" -> ok(logon(outcome(find(session).logon())));
      case "logout" -> ok(logout(outcome(find(session).logout(rest))));
      case "disable" -> ok(logout(outcome(find(session).disable(rest))) + "; it stays so until it is enabled");
      case "enable" -> ok("the session is enabled; " + logon(outcome(find(session).enable())));
      case "reset" -> ok(outcome(find(session).resetSequenceNumbers()));
      case "reset-without-logout" -> ok(outcome(find(session).resetWithoutLogout()));
      case "set-outbound" -> ok("the next message to be sent has MsgSeqNum ",
          outcome(find(session).setNextOutbound(number(rest))), "");
      case "set-inbound" -> ok("the next message expected has MsgSeqNum ",
          outcome(find(session).setNextInbound(number(rest))), "");
      case "resend" -> ok("the messages from " + number(rest) + " to ", outcome(find(session).resend(number(rest))),
          " were sent again");
      case "test" -> ok("the counterparty has responded within ",
          outcome(find(session).testRequest()).toNanos() / NANOS_PER_MICROSECOND, " us");
      case "send" -> ok("the message was accepted with MsgSeqNum ", outcome(find(session).send(rest)), "");
      default -> throw new RefusedException("unknown command; these are known: " + HELP);
    };
  }

  private String status(@Nullable String name, Response response) throws RefusedException, IOException {
    List<FixSession> shown = name == null ? sessions.get() : List.of(find(name));
    Instant now = Instant.now();
    for (FixSession session : shown) {
      response.line(StatusLine.of(session.status(), now));
    }
    return new JsonLine().put("ok", true).put("sessions", shown.size()).toString();
  }

  private FixSession find(@Nullable String encoded) throws RefusedException {
    if (encoded == null) {
      throw new RefusedException("name a session; status lists them");
    }
    String name = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
    List<FixSession> known = sessions.get();
    List<String> names = new ArrayList<>();
    for (FixSession session : known) {
      if (session.id().toString().equals(name)) {
        return session;
      }
      if (names.size() < 5) {
        names.add(session.id().toString());
      }
    }
    throw new RefusedException("there is no session " + name + "; there are " + known.size() + ", such as " + names);
  }

  private static long number(String text) throws RefusedException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new RefusedException("'" + text + "' is no number");
    }
  }

  private <T> T outcome(CompletableFuture<T> outcome)
      throws ExecutionException, TimeoutException, InterruptedException {
    return outcome.get(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static String logon(String outcome) {
    return outcome.equals("logged on") ? "the session is logged on" : "the session " + outcome;
  }

  private static String logout(String outcome) {
    return outcome.equals("not connected")
        ? "the session has no connection"
        : "the connection of the session has ended: " + outcome;
  }

  /** Returns the last line of a response, with a sentence for people. */
  private static String ok(String sentence) {
    return new JsonLine().put("ok", true).put("outcome", sentence).toString();
  }

  /** Returns the last line of a response, with a sentence for people and its number for programs. */
  private static String ok(String begin, Number number, String end) {
    return new JsonLine().put("ok", true).put("outcome", begin + number + end).put("number", number).toString();
  }
}
