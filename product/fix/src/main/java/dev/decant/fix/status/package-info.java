/** The status of sessions, for operators, dashboards and probes. */
@NullMarked
package dev.decant.fix.status;

import org.jspecify.annotations.NullMarked;
