/** Imports and exports file and JDBC stores of QuickFIX/J, without QuickFIX/J. */
@NullMarked
package dev.decant.fix.quickfix.store;

import org.jspecify.annotations.NullMarked;
