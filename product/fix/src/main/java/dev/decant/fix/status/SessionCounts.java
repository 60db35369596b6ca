package dev.decant.fix.status;

/**
 * Counters of a session since it was opened.
 *
 * @param messagesReceived messages received, garbled ones included
 * @param bytesReceived bytes of these messages
 * @param messagesSent messages that went to the socket, session messages and resent ones included
 * @param bytesSent bytes of these messages
 * @param messagesResent resent messages, gap fills included
 * @param logons logons that both ends have completed
 * @param logonsFailed failed logons, see {@link dev.decant.fix.event.SessionListener#onLogonFailed}
 * @param disconnects connections that have ended
 * @param garbled frames that were no messages
 * @param gaps gaps in the counterparty's numbers
 * @param resendRequestsSent ResendRequest(2) sent
 * @param resendRequestsReceived ResendRequest(2) received
 * @param rejectsSent Reject(3) and BusinessMessageReject(j) sent
 * @param rejectsReceived Reject(3) received
 * @param heartbeatsMissed TestRequest(1) sent because nothing had arrived
 * @param resets resets of both numbers to 1
 * @param slowReports reports of a counterparty that reads slowly
 * @param storeFailures changes that the store has refused
 * @param tolerated accepted messages that break a rule which settings relax; one that breaks two rules counts twice.
 *     {@link dev.decant.fix.FixSession#tolerated} has a count for each rule
 */
public record SessionCounts(long messagesReceived, long bytesReceived, long messagesSent, long bytesSent,
    long messagesResent, long logons, long logonsFailed, long disconnects, long garbled, long gaps,
    long resendRequestsSent, long resendRequestsReceived, long rejectsSent, long rejectsReceived, long heartbeatsMissed,
    long resets, long slowReports, long storeFailures, long tolerated) {}
