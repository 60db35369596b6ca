package dev.decant.fix.status;

/**
 * What a session has counted since it was opened.
 *
 * @param messagesReceived messages that have arrived, garbled ones too
 * @param bytesReceived bytes of them
 * @param messagesSent messages that went to the socket, those of the session and those sent again included
 * @param bytesSent bytes of them
 * @param messagesResent messages that were sent again, gap fills included
 * @param logons logons that were complete both ways
 * @param logonsFailed logons that came to nothing: see {@link dev.decant.fix.event.SessionListener#onLogonFailed}
 * @param disconnects ends of connections
 * @param garbled arrivals that were no messages
 * @param gaps gaps found in the counterparty's numbers
 * @param resendRequestsSent ResendRequest(2) sent
 * @param resendRequestsReceived ResendRequest(2) received
 * @param rejectsSent Reject(3) and BusinessMessageReject(j) sent
 * @param rejectsReceived Reject(3) received
 * @param heartbeatsMissed TestRequest(1) sent because nothing came
 * @param resets resets of both numbers to 1
 * @param slow how often listeners were told that the counterparty reads slowly
 * @param storeFailures how often the store took nothing
 * @param letThrough messages that break a rule and were let through, because settings allow that; one that breaks two
 *     rules counts twice. {@link dev.decant.fix.FixSession#letThrough} has a count for each rule
 */
public record SessionCounts(long messagesReceived, long bytesReceived, long messagesSent, long bytesSent,
    long messagesResent, long logons, long logonsFailed, long disconnects, long garbled, long gaps,
    long resendRequestsSent, long resendRequestsReceived, long rejectsSent, long rejectsReceived, long heartbeatsMissed,
    long resets, long slow, long storeFailures, long letThrough) {}
