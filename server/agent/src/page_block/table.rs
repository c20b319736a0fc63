//! Tables of a page as rows of cells, however deep row groups are nested.

use sidewire_contract::ax_tree::AxNode;

use super::node;

/// A table read from the tree.
#[derive(Debug, Default)]
pub struct Table<'a> {
    /// Cells of the header row.
    pub header: Vec<&'a AxNode>,
    /// The other rows.
    pub rows: Vec<Row<'a>>,
    /// What is neither: captions, paging.
    pub rest: Vec<&'a AxNode>,
    /// Rows without the header that the table says it has, including those that are not here.
    pub total: usize,
}

/// One row.
#[derive(Debug)]
pub struct Row<'a> {
    /// The row itself, for its states.
    pub node: &'a AxNode,
    /// Its cells.
    pub cells: Vec<&'a AxNode>,
}

impl<'a> Row<'a> {
    /// The cell a person would call the row by: its row header, else the first that is more than a tick box.
    #[must_use]
    pub fn key(&self) -> Option<&'a AxNode> {
        let header = self.cells.iter().find(|cell| cell.role == "rowheader");
        let says = |cell: &&&AxNode| !node::words(cell, 8).is_empty() && !cell.children.iter().any(is_tick);
        header
            .or_else(|| self.cells.iter().find(says))
            .or(self.cells.first())
            .copied()
    }
}

fn is_tick(node: &AxNode) -> bool {
    matches!(node.role.as_str(), "checkbox" | "radio")
}

/// Row groups inside row groups that are followed.
const GROUP_DEPTH: usize = 6;

/// Reads a table node.
#[must_use]
pub fn read(node: &AxNode) -> Table<'_> {
    let mut table = Table::default();
    collect(node, GROUP_DEPTH, &mut table);
    let announced = usize::try_from(node.row_count.unwrap_or(0)).unwrap_or(0);
    table.total = announced.max(table.rows.len());
    table
}

fn collect<'a>(node: &'a AxNode, depth: usize, table: &mut Table<'a>) {
    for child in &node.children {
        match child.role.as_str() {
            "row" => add_row(child, table),
            "rowgroup" | "generic" | "none" | "presentation" if depth > 0 && child.name.is_none() => {
                collect(child, depth - 1, table);
            }
            _ => table.rest.push(child),
        }
    }
}

fn add_row<'a>(node: &'a AxNode, table: &mut Table<'a>) {
    let cells: Vec<&AxNode> = node.children.iter().filter(|cell| is_cell(&cell.role)).collect();
    let is_header = !cells.is_empty() && cells.iter().all(|cell| cell.role == "columnheader");
    if is_header && table.header.is_empty() && table.rows.is_empty() {
        table.header = cells;
    } else if is_header && says_again(&cells, &table.header) {
        // The header once more, at the foot.
    } else if cells.is_empty() {
        table.rows.push(Row {
            node,
            cells: node.children.iter().collect(),
        });
    } else {
        table.rows.push(Row { node, cells });
    }
}

fn says_again(cells: &[&AxNode], header: &[&AxNode]) -> bool {
    let words = |cell: &&AxNode| node::words(cell, 80);
    cells.len() == header.len() && cells.iter().map(words).eq(header.iter().map(words))
}

fn is_cell(role: &str) -> bool {
    matches!(role, "cell" | "gridcell" | "columnheader" | "rowheader")
}
