package dev.decant.fix.quickfix.store;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The tables of QuickFIX/J's JdbcStore: {@code sessions} has a row for each session, {@code messages} a row for each
 * message. The columns of SubIDs and LocationIDs are used if the tables have them. One thread at a time.
 */
public final class QuickFixTables extends QuickFixStore {
  private static final int FETCH = 256;
  private static final Charset CHARSET = StandardCharsets.ISO_8859_1;

  private final Connection connection;
  private final String sessions;
  private final String messages;
  private final List<String> columns = new ArrayList<>(List.of("beginstring", "sendercompid", "targetcompid",
      "session_qualifier"));
  private final List<String> values;

  /**
   * Accesses the rows of a session in tables with other names than the default ones.
   *
   * @param connection to the database; the caller closes it
   * @param session the session
   * @param names JdbcStoreSessionsTableName, JdbcStoreMessagesTableName and JdbcSessionIdDefaultPropertyValue
   * @throws IOException if the tables cannot be inspected
   */
  public QuickFixTables(Connection connection, SessionId session, Names names) throws IOException {
    super(session);
    this.connection = connection;
    this.sessions = names.sessions();
    this.messages = names.messages();
    List<String> of = new ArrayList<>(List.of(session.beginString(), session.senderCompId(), session.targetCompId(),
        session.qualifier()));
    try {
      if (hasColumn("sendersubid")) {
        Collections.addAll(columns, "sendersubid", "senderlocid", "targetsubid", "targetlocid");
        Collections.addAll(of, session.senderSubId(), session.senderLocationId(), session.targetSubId(),
            session.targetLocationId());
      }
    } catch (SQLException e) {
      throw failed(e);
    }
    this.values = of.stream().map(value -> value.isEmpty() ? names.ifEmpty() : value).toList();
  }

  /**
   * Accesses the rows of a session in the default tables.
   *
   * @param connection to the database; the caller closes it
   * @param session the session
   * @throws IOException if the tables cannot be inspected
   */
  public QuickFixTables(Connection connection, SessionId session) throws IOException {
    this(connection, session, Names.DEFAULT);
  }

  /**
   * The names that settings of QuickFIX/J can change.
   *
   * @param sessions the table of sessions
   * @param messages the table of messages
   * @param ifEmpty stands for an identifier that a session does not have
   */
  public record Names(String sessions, String messages, String ifEmpty) {

    /** The default names of QuickFIX/J. */
    public static final Names DEFAULT = new Names("sessions", "messages", "");

    /** Refuses text that could be more than a name, since it becomes part of statements. */
    public Names {
      for (String table : List.of(sessions, messages)) {
        if (!table.matches("[A-Za-z0-9_.$\"]+")) {
          throw new IllegalArgumentException("'" + table + "' is no name of a table");
        }
      }
    }
  }

  private boolean hasColumn(String column) throws SQLException {
    String table = sessions.substring(sessions.lastIndexOf('.') + 1).replace("\"", "");
    DatabaseMetaData data = connection.getMetaData();
    for (boolean upper : new boolean[] {true, false}) {
      String of = upper ? table.toUpperCase(Locale.ROOT) : table;
      String wanted = upper ? column.toUpperCase(Locale.ROOT) : column;
      try (ResultSet found = data.getColumns(null, null, of, wanted)) {
        if (found.next()) {
          return true;
        }
      }
    }
    return false;
  }

  private static IOException failed(SQLException e) {
    return new IOException("the database fails: " + e.getMessage(), e);
  }

  private String where() {
    return " WHERE " + columns.stream().map(column -> column + "=?").collect(Collectors.joining(" AND "));
  }

  private int setId(PreparedStatement statement, int first) throws SQLException {
    int at = first;
    for (String value : values) {
      statement.setString(at++, value);
    }
    return at;
  }

  @Override
  public boolean exists() throws IOException {
    try (PreparedStatement query = connection.prepareStatement("SELECT outgoing_seqnum FROM " + sessions + where())) {
      setId(query, 1);
      try (ResultSet rows = query.executeQuery()) {
        return rows.next();
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  Numbers numbers() throws IOException {
    try (PreparedStatement query = connection.prepareStatement(
        "SELECT outgoing_seqnum, incoming_seqnum, creation_time FROM " + sessions + where())) {
      setId(query, 1);
      try (ResultSet rows = query.executeQuery()) {
        if (!rows.next()) {
          throw new IOException("the table " + sessions + " has no session " + session());
        }
        Timestamp created = rows.getTimestamp(3);
        return new Numbers(rows.getLong(1), rows.getLong(2), created == null ? Instant.now() : created.toInstant());
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  long read(Sink sink) throws IOException {
    try (PreparedStatement query = connection.prepareStatement(
        "SELECT msgseqnum, message FROM " + messages + where() + " ORDER BY msgseqnum")) {
      query.setFetchSize(FETCH);
      setId(query, 1);
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          sink.message(rows.getLong(1), rows.getString(2).getBytes(CHARSET));
        }
      }
      return 0;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  Writing write(Numbers numbers) throws IOException {
    try {
      return new Rows(numbers);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** Replaces the rows of the session in one transaction. */
  private final class Rows implements Writing {
    private final boolean autoCommit;
    private final PreparedStatement insert;
    private boolean isFinished;

    Rows(Numbers numbers) throws SQLException {
      autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      boolean isBegun = false;
      try {
        replaceSession(numbers);
        insert = connection.prepareStatement(into(messages, "msgseqnum, message", 2));
        isBegun = true;
      } finally {
        if (!isBegun) {
          rollBack(); // The caller continues with the connection: its commit would otherwise keep the deletions.
        }
      }
    }

    private void replaceSession(Numbers numbers) throws SQLException {
      for (String table : List.of(messages, sessions)) {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table + where())) {
          setId(delete, 1);
          delete.executeUpdate();
        }
      }
      try (PreparedStatement row = connection.prepareStatement(
          into(sessions, "creation_time, incoming_seqnum, outgoing_seqnum", 3))) {
        int at = setId(row, 1);
        row.setTimestamp(at, Timestamp.from(numbers.created()));
        row.setLong(at + 1, numbers.nextInbound());
        row.setLong(at + 2, numbers.nextOutbound());
        row.executeUpdate();
      }
    }

    private void rollBack() throws SQLException {
      try {
        connection.rollback();
      } finally {
        connection.setAutoCommit(autoCommit);
      }
    }

    private String into(String table, String more, int count) {
      return "INSERT INTO " + table + " (" + String.join(", ", columns) + ", " + more + ") VALUES ("
          + String.join(", ", Collections.nCopies(columns.size() + count, "?")) + ")";
    }

    @Override
    public void message(long number, byte[] bytes) throws IOException {
      try {
        int at = setId(insert, 1);
        insert.setLong(at, number);
        insert.setString(at + 1, new String(bytes, CHARSET));
        insert.executeUpdate();
      } catch (SQLException e) {
        throw failed(e);
      }
    }

    @Override
    public void finish() throws IOException {
      try {
        connection.commit();
        isFinished = true;
      } catch (SQLException e) {
        throw failed(e);
      }
    }

    @Override
    public void close() throws IOException {
      try (insert) {
        if (isFinished) {
          connection.setAutoCommit(autoCommit);
        } else {
          rollBack();
        }
      } catch (SQLException e) {
        throw failed(e);
      }
    }
  }
}
