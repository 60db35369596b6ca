/** File and JDBC stores of QuickFIX/J, imported and exported without QuickFIX/J. */
@NullMarked
package dev.decant.fix.quickfix.store;

import org.jspecify.annotations.NullMarked;
