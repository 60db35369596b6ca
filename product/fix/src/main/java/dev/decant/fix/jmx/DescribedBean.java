package dev.decant.fix.jmx;

import java.util.Map;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/**
 * The bean of a session, with descriptions of its operations. Without them, JMX clients show {@code p0} for a
 * parameter.
 */
final class DescribedBean extends StandardMBean {
  /** Descriptions of an operation and of its parameter; empty if it has none. */
  private record Words(String operation, String name, String parameter) {}

  private static final Map<String, Words> WORDS = Map.ofEntries(
      Map.entry("logon", new Words("Has an initiator connect and log on; an acceptor's session waits", "", "")),
      Map.entry("logout", new Words("Logs out; an initiator stays away until logon", "text",
          "Text(58) for the counterparty; empty for none")),
      Map.entry("disable", new Words("Logs out, and keeps the session out until enable", "text",
          "Text(58) for the counterparty; empty for none")),
      Map.entry("enable", new Words("Lets a disabled session log on again", "", "")),
      Map.entry("resetSequenceNumbers", new Words("Logs out, and begins with number 1 both ways", "", "")),
      Map.entry("resetWithoutLogout", new Words("Begins with number 1 both ways, and stays logged on", "", "")),
      Map.entry("changeNextOutbound",
          new Words("Sets the number of the next message to be sent", "number", "1 or more")),
      Map.entry("changeNextInbound", new Words("Sets the number of the next message expected", "number", "1 or more")),
      Map.entry("resend", new Words("Sends messages again, as if the counterparty had asked for them", "from",
          "the first number")),
      Map.entry("send", new Words("Sends a message typed by hand", "fields", "35=D|11=ORDER-1|55=DECANT, for example")),
      Map.entry("testRequest", new Words("Sends a TestRequest, and waits for the response: microseconds", "", "")));

  DescribedBean(SessionBean session) {
    super(session, FixSessionMXBean.class, true);
  }

  private static @Nullable Words words(MBeanOperationInfo operation) {
    return WORDS.get(operation.getName());
  }

  @Override
  protected String getDescription(MBeanInfo info) {
    return "A FIX session of Decant";
  }

  @Override
  protected @Nullable String getDescription(MBeanOperationInfo operation) {
    Words words = words(operation);
    return words == null ? super.getDescription(operation) : words.operation();
  }

  @Override
  protected @Nullable String getParameterName(MBeanOperationInfo operation, MBeanParameterInfo parameter, int index) {
    Words words = words(operation);
    return words == null ? super.getParameterName(operation, parameter, index) : words.name();
  }

  @Override
  protected @Nullable String getDescription(MBeanOperationInfo operation, MBeanParameterInfo parameter, int index) {
    Words words = words(operation);
    return words == null ? super.getDescription(operation, parameter, index) : words.parameter();
  }
}
