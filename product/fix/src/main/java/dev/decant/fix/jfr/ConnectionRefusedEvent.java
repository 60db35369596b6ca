package dev.decant.fix.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a connection to an acceptor ends before a logon. */
@Name("dev.decant.fix.ConnectionRefused")
@Label("Connection Refused")
@Description("A connection to an acceptor ended before a session was logged on by it")
@Category({"Decant", "FIX"})
@StackTrace(false)
final class ConnectionRefusedEvent extends Event {
  @Label("Address")
  @Description("Host and port of the peer")
  final String address;

  @Label("Reason")
  @Description("Why")
  final String reason;

  ConnectionRefusedEvent(String address, String reason) {
    this.address = address;
    this.reason = reason;
  }
}
